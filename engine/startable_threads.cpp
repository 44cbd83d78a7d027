#include "engine/startable_threads.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <vector>

namespace tilebeam {
namespace {

// What the search takes before the last worker has started.
class Margin {
 public:
  Margin() {
    constexpr std::size_t kBytes = std::size_t{16} << 20;
    room_ = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_ = room_ != MAP_FAILED ? kBytes : 0;
  }
  Margin(const Margin&) = delete;
  Margin& operator=(const Margin&) = delete;
  ~Margin() {
    if (size_ > 0) ::munmap(room_, size_);
  }
  bool held() const { return size_ > 0; }

 private:
  void* room_;
  std::size_t size_;
};

void* awaitEnd(void* latch) {
  static_cast<std::latch*>(latch)->wait();
  return nullptr;
}

// All at once, as they will be.
int tryOut(int wanted, std::size_t stackBytes) {
  const Margin margin;
  if (!margin.held()) return 1;
  std::vector<pthread_t> threads(static_cast<std::size_t>(wanted - 1));
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return 1;
  ::pthread_attr_setstacksize(&attributes, stackBytes);
  std::latch end(1);
  std::size_t started = 0;
  while (started < threads.size() &&
         ::pthread_create(&threads[started], &attributes, awaitEnd, &end) == 0) {
    ++started;
  }
  ::pthread_attr_destroy(&attributes);
  end.count_down();
  for (std::size_t i = 0; i < started; ++i) ::pthread_join(threads[i], nullptr);
  return 1 + static_cast<int>(started);
}

}  // namespace

int startableThreads(int wanted, std::size_t stackBytes) {
  // Those of an earlier search are still there, and would be counted twice.
  static std::atomic<int> known{1};
  if (wanted <= known.load()) return wanted;
  const int found = tryOut(wanted, stackBytes);
  known.store(std::max(known.load(), found));
  return found;
}

}  // namespace tilebeam
