#include "cli/scale_copies.h"

#include <algorithm>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

#include "cli/exit_code.h"
#include "cli/stopwatch.h"

namespace tilebeam::cli {
namespace {

struct Copy {
  CopiesSample sample;
  std::exception_ptr fault;
};

// Calls `work` for every copy in a thread of its own, for all at once or for none, and says how
// many seconds late it is: there may be more threads than cores.
template <class Work>
void startTogether(std::vector<Copy>& copies, const Work& work) {
  std::latch start(1);
  bool complete = false;  // as is the clock, written before the start
  Stopwatch clock;
  std::vector<std::jthread> threads;
  threads.reserve(copies.size());
  try {
    for (Copy& copy : copies) {
      threads.emplace_back([&] {
        start.wait();
        if (complete) work(copy, clock.seconds());
      });
    }
    complete = true;
  } catch (const std::exception&) {  // no room for a thread
  }
  const std::size_t started = threads.size();
  clock = Stopwatch();
  start.count_down();
  threads.clear();
  if (complete) return;
  throw Failure(ExitCode::kProgramFault, "no more than " + std::to_string(started) + " of " +
                                             std::to_string(copies.size()) +
                                             " threads could be started");
}

}  // namespace

CopiesSample runCopies(int count, const SolverOptions& options, const ScaleRun& run,
                       const std::string& expected) {
  std::vector<Copy> copies(static_cast<std::size_t>(count));
  startTogether(copies, [&](Copy& copy, double late) {
    try {
      const ScaleSample sample = run(options, nullptr);
      copy.sample = {late + sample.seconds, sample.schedule == expected};
    } catch (...) {
      copy.fault = std::current_exception();
    }
  });
  CopiesSample all{0, true};
  for (const Copy& copy : copies) {
    if (copy.fault) std::rethrow_exception(copy.fault);
    all.seconds = std::max(all.seconds, copy.sample.seconds);
    all.identical = all.identical && copy.sample.identical;
  }
  return all;
}

}  // namespace tilebeam::cli
