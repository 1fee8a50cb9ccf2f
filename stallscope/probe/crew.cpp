#include "stallscope/probe/crew.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <exception>
#include <thread>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

/// A core that was taken away meanwhile leaves the thread where it is: slower, and still right.
void StayOn(int cpu) {
  constexpr int kMostCpus = 8192;
  cpu_set_t* set = CPU_ALLOC(kMostCpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
}

}  // namespace

double RunOnCores(const std::vector<int>& cpus, const std::function<void(std::size_t)>& work) {
  struct Span {
    double begin = 0;
    double end = 0;
    std::exception_ptr failure;
  };
  std::vector<Span> spans(cpus.size());
  {
    std::barrier together(static_cast<std::ptrdiff_t>(cpus.size()));
    std::vector<std::jthread> crew;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      crew.emplace_back([&, i] {
        StayOn(cpus[i]);
        together.arrive_and_wait();
        spans[i].begin = MonotonicSeconds();
        try {
          work(i);
        } catch (...) {
          spans[i].failure = std::current_exception();
        }
        spans[i].end = MonotonicSeconds();
      });
    }
  }
  double begin = spans.front().begin;
  double end = spans.front().end;
  for (const Span& span : spans) {
    if (span.failure) std::rethrow_exception(span.failure);
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  return end - begin;
}

}  // namespace stallscope
