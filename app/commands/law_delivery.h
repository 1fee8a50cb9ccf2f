#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/output.h"
#include "stallscope/document/law.h"

namespace stallscope {

struct LawDelivery {
  std::string file;  ///< law.json of a sweep's folder; empty: none
  std::string html;  ///< a page as well; empty: none
  std::string store;
  bool keep_in_store = true;
  OutputOptions output;
};

/// Signs the law and hands it to the file, standard output, the page and the store, where these are wanted.
void DeliverLaw(Law law, const std::vector<std::string>& argv, const LawDelivery& delivery);

/// The law in a file or in a sweep's folder.
Law ReadLawAt(const std::string& given);

/// The newest law of this machine in the store; nothing where there is none. `host`: of that name alone.
struct StoredLaw {
  Law law;
  std::string file;
};
std::optional<StoredLaw> NewestLaw(const std::string& store, const std::optional<std::string>& host);

}  // namespace stallscope
