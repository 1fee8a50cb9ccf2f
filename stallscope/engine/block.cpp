#include "stallscope/engine/block.h"

namespace stallscope {

std::string_view SyncName(Sync sync) {
  switch (sync) {
    case Sync::kNone:
      return "none";
    case Sync::kNode:
      return "node";
    case Sync::kCluster:
      return "cluster";
  }
  return "?";
}

std::string_view DataSourceName(DataSource source) {
  switch (source) {
    case DataSource::kResident:
      return "resident";
    case DataSource::kHost:
      return "host";
    case DataSource::kWarm:
      return "warm";
    case DataSource::kCold:
      return "cold";
  }
  return "?";
}

bool IsRealData(DataSource source) {
  return source == DataSource::kWarm || source == DataSource::kCold;
}

}  // namespace stallscope
