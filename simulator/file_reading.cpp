// readFile: files, pipes and what may never end.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "simulator/descriptor.h"
#include "simulator/files.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam {
namespace {

constexpr std::size_t kFirstRead = std::size_t{1} << 16;

[[noreturn]] void failReading(const std::string& why) {
  throw InputError("cannot be read: " + why);
}

[[noreturn]] void failTooLarge(std::size_t most, bool perPipe) {
  constexpr std::size_t kGiB = std::size_t{1} << 30;
  const std::string size =
      most >= kGiB ? std::to_string(most / kGiB) + " GiB" : std::to_string(most >> 20) + " MiB";
  failReading("larger than " + size + (perPipe ? ", the most that is read from a pipe" : ""));
}

// A pipe may stay silent for ever.
void awaitInput(int fd, StopCheck stop) {
  constexpr int kMilliseconds = 100;  // until a signal that slipped in before poll() is noticed
  struct pollfd state {
    .fd = fd, .events = POLLIN, .revents = 0
  };
  for (;;) {
    const int ready = ::poll(&state, 1, kMilliseconds);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) failReading(std::strerror(errno));
    if (stop() && ::poll(&state, 1, 0) <= 0) {
      throw InterruptedError("interrupted before it was read");
    }
  }
}

}  // namespace

std::string readFile(const std::string& path, std::size_t largest, StartCheck check,
                     StopCheck stop) {
  // The wait for the other end of a pipe is left to poll().
  const int patience = stop != nullptr ? O_NONBLOCK : 0;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | patience));
  if (file.get() < 0) failReading(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) failReading(std::strerror(errno));
  const bool isDevice = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  if (isDevice && ::isatty(file.get()) == 0) failReading("a device, neither a file nor a pipe");
  // What has no size may have no end.
  const bool stream = !S_ISREG(status.st_mode) || status.st_size == 0;
  const std::size_t most = stream ? std::min(largest, kLargestStream) : largest;
  // One byte more, so that the end is seen without growing.
  const std::size_t expected = stream ? 0 : static_cast<std::size_t>(status.st_size) + 1;
  if (expected > most + 1) failTooLarge(most, most < largest);
  std::string content;
  std::size_t size = 0;
  // The first bytes alone, so that what is no document at all is not read any further.
  std::size_t capacity = kFirstRead;
  bool started = check == nullptr;
  for (;;) {
    if (content.size() < capacity) content.resize(capacity);
    if (stop != nullptr) awaitInput(file.get(), stop);
    const ssize_t count = ::read(file.get(), content.data() + size, content.size() - size);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) failReading(std::strerror(errno));
    if (count == 0) break;
    const std::size_t seen = std::exchange(size, size + static_cast<std::size_t>(count));
    if (size > most) failTooLarge(most, most < largest);
    if (!started) started = check(std::string_view(content).substr(0, size), seen);
    if (size == content.size()) capacity = std::min(std::max(2 * size, expected), most + 1);
  }
  content.resize(size);
  return content;
}

std::string readFile(const std::string& path) { return readFile(path, kLargestText, nullptr); }

}  // namespace tilebeam
