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

#include "simulator/descriptor.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void failWriting(int error) {
  throw OutputError(std::string("cannot be written: ") + std::strerror(error));
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
  // Network file systems report a full disk as late as here.
  if (::close(file.release()) != 0 && errno != EINTR) failWriting(errno);
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

  // A target that is not there yet is the first name that the file gets. Another name is kept for
  // no longer than it takes, lest a kill leave it behind; a file that had one all along is closed
  // before, since network file systems report a full disk as late as then.
  void renameTo(const fs::path& target) {
    const bool nameless = path_.empty();
    if (nameless && link(target)) return close();
    if (nameless) {
      giveName();
    } else {
      close();
    }
    if (::rename(path_.c_str(), target.c_str()) != 0) failWriting(errno);
    renamed_ = true;
    if (nameless) close();
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

  // False if that name is taken.
  bool link(const fs::path& free) const {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, free.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      return true;
    }
    if (errno != EEXIST) failWriting(errno);
    return false;
  }

  // For rename(), which asks for one.
  void giveName() {
    int attempt = 0;
    while (!link(name(attempt))) ++attempt;
    path_ = name(attempt);
  }

  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) failWriting(errno);
  }

  fs::path directory_;
  std::string path_;  // empty: it has no name
  int fd_ = -1;
  bool renamed_ = false;
};

// A device may refuse whatever is written to it, /dev/full for one: then it refuses nothing at all
// too.
void checkDevice(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode)) return;
  if (::write(fd, "", 0) < 0 && errno != EINTR && errno != EAGAIN) failWriting(errno);
}

// A descriptor that was closed, is open for reading alone, or leads to a pipe nobody reads.
void checkDescriptor(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) failWriting(errno);
  if ((flags & O_ACCMODE) == O_RDONLY) failWriting(EBADF);
  struct pollfd state {
    .fd = fd, .events = POLLOUT, .revents = 0
  };
  if (::poll(&state, 1, 0) > 0 && (state.revents & POLLERR) != 0) failWriting(EPIPE);
  checkDevice(fd);
}

// What is there, and no regular file. A pipe is not opened, which would wait for its reader.
void checkSpecialFile(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) failWriting(errno);
  if (S_ISDIR(status.st_mode)) failWriting(EISDIR);
  if (::access(path.c_str(), W_OK) != 0) failWriting(errno);
  if (S_ISFIFO(status.st_mode)) return;
  const Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (device.get() < 0) failWriting(errno);
  checkDevice(device.get());
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
  struct stat status {};
  // "new/", where there is no such directory: the system says why.
  const bool isDirectory = path.ends_with('/') && ::stat(path.c_str(), &status) == 0;
  if (path.empty()) failWriting(ENOENT);
  if (path.ends_with('/')) failWriting(isDirectory ? EISDIR : errno);
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

std::string fileIdentity(const std::string& path) {
  if (!isReplaceable(path)) return path;
  const fs::path target = followLinks(path);
  // The directory by its number, since a mount may show it at two places.
  struct stat status {};
  const std::string directory = target.has_parent_path() ? target.parent_path().string() : ".";
  if (::stat(directory.c_str(), &status) != 0) return target.string();
  return std::to_string(status.st_dev) + " " + std::to_string(status.st_ino) + "/" +
         target.filename().string();
}

void checkWritable(const std::string& path) {
  if (const auto number = namedDescriptor(path)) return checkDescriptor(*number);
  if (isReplaceable(path)) {
    const TemporaryFile vanishes(writableTarget(path));
  } else {
    checkSpecialFile(path);
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
