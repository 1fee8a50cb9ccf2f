#include "stallscope/report/machine_console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "stallscope/document/atomic_file.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::Not;

MachineCard GoldenCard() {
  const auto file = std::filesystem::path(__FILE__).parent_path() / "../../tests/golden/machine.json";
  return MachineCardFromJson(ReadFile(file), "machine.json");
}

std::string Printed(const MachineCard& card, const TextStyle& style = {.width = 120}) {
  std::ostringstream out;
  PrintMachine(card, style, out);
  return out.str();
}

TEST(MachineConsole, SaysWhatTheMachineIsAndWhatWasMeasured) {
  const std::string text = Printed(GoldenCard());
  EXPECT_THAT(text, HasSubstr("amber (aws, p4d.24xlarge): AMD EPYC 7763, 2 packages, 2 NUMA nodes, 6 cores"));
  EXPECT_THAT(text, HasSubstr("L3 2 x 36 MiB"));
  EXPECT_THAT(text, HasSubstr("PCIe x16 of x16 generation 4, 1 of 2 NVLinks up"));
  EXPECT_THAT(text, HasSubstr("ens32: ena, up, 100 Gbit, MTU 9001"));
  EXPECT_THAT(text, HasSubstr("docker0: virtual, down, reports no speed"));
  EXPECT_THAT(text, HasSubstr("memory.triad.all_cores                160 GB/s ± 3.1 %"));
  EXPECT_THAT(text, HasSubstr("the hypervisor gave 6 % of the cores' time"));
  EXPECT_THAT(text, HasSubstr("all-reduce of 2 ranks in this machine"));
  EXPECT_THAT(text, HasSubstr("1.05 MB      1.00 ms        1.05 GB/s        1.05 GB/s"));
}

TEST(MachineConsole, SaysWhatIsAbsentAndWhy) {
  MachineCard card = GoldenCard();
  card.disk.reset();
  card.absent = {{"disk", "it was not asked for"}};
  EXPECT_THAT(Printed(card), HasSubstr("no disk: it was not asked for"));
}

TEST(MachineConsole, NamesWhatWasMissedAndWhatDrifted) {
  const std::string text = Printed(GoldenCard());
  EXPECT_THAT(text, HasSubstr("decode.one_core                        -12.5 % ± 6.2 %  fell"));
  EXPECT_THAT(text, HasSubstr("outlier: decode.one_core at 3 min 30 s: 50 % of its median"));
  EXPECT_THAT(text, HasSubstr("1 of 1 quantities: gpu.count (25 %) below 75 % of p4d.24xlarge; 1 could not"));
}

TEST(MachineConsole, PlainTextHasNoColourAndNoPlusMinusSign) {
  const std::string text = Printed(GoldenCard(), {.color = false, .utf8 = false});
  EXPECT_THAT(text, HasSubstr("+-"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(text, Not(HasSubstr("±")));
  EXPECT_THAT(Printed(GoldenCard(), {.color = true}), HasSubstr("\x1b[31mmissed"));
}

}  // namespace
}  // namespace stallscope
