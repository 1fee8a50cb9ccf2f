#include "stallscope/predict/source_group.h"

namespace stallscope {

std::string SourceGroup(std::string_view source) {
  const std::size_t mark = source.rfind("_v");
  const bool version = mark != source.npos && mark > 0 && mark + 2 < source.size() &&
                       source.find_first_not_of("0123456789", mark + 2) == source.npos;
  return std::string(version ? source.substr(0, mark) : source);
}

}  // namespace stallscope
