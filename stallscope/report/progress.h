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

/// Shows where measuring stands: on a terminal one line that is drawn again and again, elsewhere a
/// line every ten seconds. Meant for standard error.
class ProgressPrinter : public MeasureObserver {
 public:
  ProgressPrinter(std::ostream& out, bool is_terminal, const TextStyle& style,
                  std::function<double()> clock = MonotonicSeconds);
  /// Clears the line of a terminal.
  ~ProgressPrinter() override;
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void OnProgress(const MeasureProgress& progress) override;

 private:
  std::ostream& out_;
  bool is_terminal_;
  TextStyle style_;
  std::function<double()> clock_;
  std::optional<double> last_s_;
};

/// "round 5, node: interval 4.1 % of a step, 3.0 % asked; 38 s so far, at most 4 min more".
std::string ProgressLine(const MeasureProgress& progress);

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

 private:
  std::vector<MeasureObserver*> observers_;
};

}  // namespace stallscope
