#include "app/commands/law_delivery.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "app/page_file.h"
#include "app/profile_delivery.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/store.h"
#include "stallscope/report/law_console.h"

namespace stallscope {

void DeliverLaw(Law law, const std::vector<std::string>& argv, const LawDelivery& delivery) {
  law.tool.version = STALLSCOPE_VERSION;
  law.created = UtcNow();
  law.argv = argv;
  const std::string text = ToJson(law);
  if (!delivery.file.empty()) WriteFileAtomically(delivery.file, text);
  WriteJson(delivery.output, text);
  if (delivery.output.ShowText() && delivery.html != "-") {
    PrintLaw(law, delivery.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  if (!delivery.html.empty()) WritePageFile(delivery.html, {ReadReportDocument(text, "stallscope law")});
  if (delivery.keep_in_store) {
    KeepInStore(text, {law.created, "law", law.host.name, delivery.file}, delivery.store, delivery.output);
  }
}

Law ReadLawAt(const std::string& given) {
  const std::filesystem::path file = DocumentFileAt(given);
  return LawFromJson(ReadFile(file), file.string());
}

std::optional<StoredLaw> NewestLaw(const std::string& store, const std::optional<std::string>& host) {
  for (const StoreEntry& entry : Store(StoreFolder(store, ProcessEnvironment())).List()) {
    if (!entry.schema || *entry.schema != kLawSchema || (host && entry.host != host)) continue;
    return StoredLaw{LawFromJson(ReadFile(entry.path), entry.path.string()), entry.path.string()};
  }
  return std::nullopt;
}

}  // namespace stallscope
