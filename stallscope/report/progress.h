#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "stallscope/base/clock.h"
#include "stallscope/ladder/measure.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// Shows where measuring stands: on a terminal up to three lines that are drawn again and again, elsewhere
/// a line every ten seconds. Meant for standard error.
class ProgressPrinter : public MeasureObserver {
 public:
  ProgressPrinter(std::ostream& out, bool is_terminal, const TextStyle& style,
                  std::function<double()> clock = MonotonicSeconds);
  /// Clears the lines of a terminal.
  ~ProgressPrinter() override;
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void OnProgress(const MeasureProgress& progress) override;

 private:
  /// To the beginning of what was drawn last.
  std::string BackToFirstLine() const;

  std::ostream& out_;
  bool is_terminal_;
  TextStyle style_;
  std::function<double()> clock_;
  std::optional<double> last_s_;
  std::size_t drawn_lines_ = 0;  ///< on a terminal, above and at the cursor
};

/// What a terminal shows, uncut: where measuring is and how long it will take, the step times of the rungs,
/// and the stalls so far. The last two are left out until they are known.
std::vector<std::string> ProgressLines(const MeasureProgress& progress, const TextStyle& style);

/// The same in one line for logs: "round 5, node: network 29.0±4.1 %; uncertain by 4.1 % of a step, 3.0 %
/// asked; 38s so far, about 1m10s more, at most 4m00s".
std::string ProgressLine(const MeasureProgress& progress, const TextStyle& style);

/// Passes everything on to several observers, in their order.
class ObserverList : public MeasureObserver {
 public:
  explicit ObserverList(std::vector<MeasureObserver*> observers) : observers_(std::move(observers)) {}
  void OnProgress(const MeasureProgress& progress) override {
    for (MeasureObserver* observer : observers_) observer->OnProgress(progress);
  }
  void OnBlock(const MeasuredBlock& block) override {
    for (MeasureObserver* observer : observers_) observer->OnBlock(block);
  }
  void OnRound(const MeasuredRound& round) override {
    for (MeasureObserver* observer : observers_) observer->OnRound(round);
  }

 private:
  std::vector<MeasureObserver*> observers_;
};

}  // namespace stallscope
