#include "stallscope/machine/cloud.h"

#include <fmt/format.h>

#include <array>

#include "stallscope/machine/file_line.h"

namespace stallscope {
namespace {

struct Sign {
  const char* provider;
  const char* file;
  const char* text;
  bool prefix;  ///< whether the file only begins with the text
  /// Whether product_name is the instance type.
  bool product_is_instance;
};

/// The names as the providers' own pages on identifying an instance, and cloud-init's ds-identify, give them.
constexpr std::array kSigns = {
    Sign{"aws", "sys_vendor", "Amazon EC2", false, true},
    // Instances of the older kind (Xen); product_name is "HVM domU" there.
    Sign{"aws", "product_uuid", "ec2", true, false},
    Sign{"aws", "product_uuid", "EC2", true, false},
    Sign{"gcp", "product_name", "Google Compute Engine", false, false},
    Sign{"azure", "chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", false, false},
    Sign{"oracle", "chassis_asset_tag", "OracleCloud.com", false, false},
    Sign{"alibaba", "sys_vendor", "Alibaba Cloud", false, false},
};

/// "p4d.24xlarge": a family, a dot and a size.
bool LooksLikeInstance(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot != std::string::npos && dot > 0 && dot + 1 < name.size() && name.find(' ') == std::string::npos;
}

}  // namespace

std::optional<CloudMachine> RecogniseCloud(const Root& root) {
  const auto read = [&](const std::string& file) { return FirstLine(root, "sys/class/dmi/id/" + file); };
  for (const Sign& sign : kSigns) {
    const std::string text = read(sign.file);
    if (sign.prefix ? !text.starts_with(sign.text) : text != sign.text) continue;
    // An identifier of the machine itself stays out of documents that people share.
    CloudMachine cloud{.provider = sign.provider,
                       .evidence = fmt::format("sys/class/dmi/id/{} {} '{}'", sign.file,
                                               sign.prefix ? "begins with" : "is", sign.text)};
    const std::string product = read("product_name");
    if (sign.product_is_instance && LooksLikeInstance(product)) cloud.instance = product;
    return cloud;
  }
  return std::nullopt;
}

}  // namespace stallscope
