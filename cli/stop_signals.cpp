#include "cli/stop_signals.h"

#include <signal.h>

#include <atomic>

namespace tilebeam::cli {
namespace {

// A handler may touch lock-free atomics and nothing else.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
constinit CancellationToken token;
constexpr int kNone = 0;
std::atomic<int> received{kNone};

void onSignal(int signal) {
  // Two threads may each be handed a signal at the same moment: only one of them is the first.
  int first = kNone;
  if (received.compare_exchange_strong(first, signal, std::memory_order_relaxed)) {
    token.cancel();
    return;
  }
  // Held back while this handler runs, it strikes when it returns.
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

CancellationToken& stopOnSignals(std::span<const int> signals) {
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    const bool ignored = signal == SIGHUP && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(signal, &action, nullptr);
  }
  return token;
}

bool stopRequested() { return token.cancelled(); }

ExitCode stoppedCode() {
  constexpr int kKilledBySignal = 128;
  return static_cast<ExitCode>(kKilledBySignal + received.load(std::memory_order_relaxed));
}

}  // namespace tilebeam::cli
