#include "cli/stop_signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace tilebeam::cli {
namespace {

// A handler may touch lock-free atomics and nothing else.
static_assert(std::atomic<bool>::is_always_lock_free);
CancellationToken token;

void onSignal(int signal) {
  constexpr int kKilledBySignal = 128;  // as shells report it
  if (token.cancelled()) _exit(kKilledBySignal + signal);
  token.cancel();
}

}  // namespace

CancellationToken& stopOnSignals(std::initializer_list<int> signals) {
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) sigaction(signal, &action, nullptr);
  return token;
}

}  // namespace tilebeam::cli
