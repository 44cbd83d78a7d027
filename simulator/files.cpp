#include "simulator/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFirstRead = std::size_t{1} << 16;

[[noreturn]] void failReading(const std::string& why) {
  throw InputError("cannot be read: " + why);
}

[[noreturn]] void failTooLarge(std::size_t largest) {
  failReading("larger than " + std::to_string(largest >> 30) + " GiB");
}

[[noreturn]] void failWriting(int error) {
  throw OutputError(std::string("cannot be written: ") + std::strerror(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // Network file systems report a full disk as late as here.
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) failWriting(errno);
  }

 private:
  int fd_;
};

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

void writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written >= 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failWriting(errno);
    }
  }
}

// N of /dev/fd/N and its like. Opened anew, such a file would be written from its beginning;
// replaced, it would be taken away from whoever holds it.
std::optional<int> namedDescriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(directory)) continue;
    const std::string_view digits = path.substr(directory.size());
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return std::nullopt;
}

void writeDirectly(const std::string& path, std::string_view content) {
  if (const auto number = namedDescriptor(path)) return writeAll(*number, content);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) failWriting(errno);
  writeAll(file.get(), content);
  file.close();
}

// A file beside the target that vanishes unless it is renamed in time. Where the file system can,
// it has no name before that, so that it vanishes even if the program is killed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : directory_(target.parent_path()) {
    openNameless();
    for (int attempt = 0; fd_ < 0; ++attempt) {
      path_ = name(attempt);
      // Not mkstemp, which ignores the umask.
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd_ < 0 && errno != EEXIST) failWriting(errno);
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_ && !path_.empty()) ::unlink(path_.c_str());
  }

  // Owner and group only as far as the user may give them away.
  void takePermissionsOf(const struct stat& existing) {
    if (::fchown(fd_, existing.st_uid, existing.st_gid) != 0) errno = 0;
    if (::fchmod(fd_, existing.st_mode & 07777) != 0) failWriting(errno);
  }

  void write(std::string_view content, Durability durability) {
    writeAll(fd_, content);
    if (durability == Durability::kMachine && ::fsync(fd_) != 0) failWriting(errno);
  }

  void renameTo(const fs::path& target) {
    if (path_.empty()) giveName();
    if (::close(std::exchange(fd_, -1)) != 0) failWriting(errno);
    if (::rename(path_.c_str(), target.c_str()) != 0) failWriting(errno);
    renamed_ = true;
  }

 private:
  std::string name(int attempt) const {
    return (directory_ /
            (".tilebeam-" + std::to_string(::getpid()) + "-" + std::to_string(attempt)))
        .string();
  }

  // Leaves fd_ alone where that does not work; a file with a name will do.
  void openNameless() {
    if (::access("/proc/self/fd", X_OK) != 0) return;
    const std::string directory = directory_.empty() ? "." : directory_.string();
    fd_ = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  }

  // rename() asks for a name, which is kept for no longer than that.
  void giveName() {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    for (int attempt = 0;; ++attempt) {
      const std::string free = name(attempt);
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, free.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        path_ = free;
        return;
      }
      if (errno != EEXIST) failWriting(errno);
    }
  }

  fs::path directory_;
  std::string path_;  // empty: it has no name
  int fd_ = -1;
  bool renamed_ = false;
};

// A descriptor that was closed, is open for reading alone, or leads to a pipe nobody reads.
void checkDescriptor(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) failWriting(errno);
  if ((flags & O_ACCMODE) == O_RDONLY) failWriting(EBADF);
  struct pollfd state {
    .fd = fd, .events = POLLOUT, .revents = 0
  };
  if (::poll(&state, 1, 0) > 0 && (state.revents & POLLERR) != 0) failWriting(EPIPE);
}

// A symbolic link stays, and what it leads to is replaced, or made.
fs::path followLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system's own
  std::error_code error;
  fs::path target(path);
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    target = target.parent_path() / fs::read_symlink(target, error);
    if (error) return path;
  }
  const fs::path directory =
      fs::canonical(target.has_parent_path() ? target.parent_path() : ".", error);
  return error ? target : directory / target.filename();
}

// The file to replace.
fs::path writableTarget(const std::string& path) {
  if (path.empty() || path.ends_with('/')) failWriting(path.empty() ? ENOENT : EISDIR);
  fs::path target = followLinks(path);
  // rename() asks the directory alone; a file that is write-protected was protected for a reason.
  if (::access(target.c_str(), W_OK) != 0 && errno != ENOENT) failWriting(errno);
  return target;
}

}  // namespace

bool isReplaceable(const std::string& path) {
  if (namedDescriptor(path)) return false;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

bool namesSameFile(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (!isReplaceable(a) || !isReplaceable(b)) return false;
  return followLinks(a) == followLinks(b);
}

std::string readFile(const std::string& path, std::size_t largest, StartCheck check,
                     StopCheck stop) {
  // The wait for the other end of a pipe is left to poll().
  const int patience = stop != nullptr ? O_NONBLOCK : 0;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | patience));
  if (file.get() < 0) failReading(std::strerror(errno));
  struct stat status {};
  std::size_t expected = 0;
  // One byte more, so that the end is seen without growing.
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    expected = static_cast<std::size_t>(status.st_size) + 1;
  }
  if (expected > largest + 1) failTooLarge(largest);
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
    if (size > largest) failTooLarge(largest);
    if (!started) started = check(std::string_view(content).substr(0, size), seen);
    if (size == content.size()) capacity = std::min(std::max(2 * size, expected), largest + 1);
  }
  content.resize(size);
  return content;
}

std::string readFile(const std::string& path) { return readFile(path, kLargestText, nullptr); }

void checkWritable(const std::string& path) {
  if (const auto number = namedDescriptor(path)) return checkDescriptor(*number);
  if (isReplaceable(path)) {
    const TemporaryFile vanishes(writableTarget(path));
  } else if (fs::is_directory(path)) {
    failWriting(EISDIR);
  } else if (::access(path.c_str(), W_OK) != 0) {
    failWriting(errno);
  }
}

bool secureFile(const std::string& path, std::size_t size) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  return file.get() >= 0 && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::size_t>(status.st_size) == size && ::fsync(file.get()) == 0;
}

void writeFileAtomically(const std::string& path, std::string_view content, Durability durability) {
  if (!isReplaceable(path)) return writeDirectly(path, content);
  const fs::path target = writableTarget(path);
  struct stat existing {};
  const bool exists = ::stat(target.c_str(), &existing) == 0;
  TemporaryFile file(target);
  if (exists) file.takePermissionsOf(existing);
  file.write(content, durability);
  file.renameTo(target);
}

}  // namespace tilebeam
