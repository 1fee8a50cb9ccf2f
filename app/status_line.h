#pragma once

#include <functional>
#include <string>

#include "app/output.h"

namespace stallscope {

/// A line on standard error about long work: on a terminal one that is drawn again, elsewhere one every ten
/// seconds.
class StatusLine {
 public:
  explicit StatusLine(const OutputOptions& output);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  /// Clears the line of a terminal.
  ~StatusLine();

  /// The line is only made when it is shown.
  void Show(const std::function<std::string()>& line);

 private:
  bool show_;
  bool is_terminal_;
  TextStyle style_;
  double last_s_;
  bool shown_ = false;
};

}  // namespace stallscope
