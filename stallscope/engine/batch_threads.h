#pragma once

namespace stallscope {

/// While it lives, threads that the calling thread starts are batch threads: they do not push others off a
/// core when they wake. The calling thread is what it was again afterwards.
class BatchThreads {
 public:
  BatchThreads();
  ~BatchThreads();
  BatchThreads(const BatchThreads&) = delete;
  BatchThreads& operator=(const BatchThreads&) = delete;

 private:
  bool changed_ = false;
};

}  // namespace stallscope
