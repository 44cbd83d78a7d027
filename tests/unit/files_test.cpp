#include "simulator/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

template <class Error, class Act>
std::string thrown(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

std::string writeFailure(const std::string& path) {
  return thrown<OutputError>([&] { writeFileAtomically(path, "new"); });
}

class Files : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path("")), {}));
  }

  TemporaryDirectory directory_;
};

TEST_F(Files, WritesAndReadsBack) {
  const std::string content = std::string("a\0b\n", 4) + std::string(1 << 20, 'x');
  writeFileAtomically(path("file"), content);
  EXPECT_EQ(readFile(path("file")), content);
  writeFileAtomically(path("file"), "");
  EXPECT_EQ(readFile(path("file")), "");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, SecuresAFileThatIsAsItWasLeft) {
  writeFileAtomically(path("file"), "four", Durability::kProcess);
  EXPECT_TRUE(secureFile(path("file"), 4));
  EXPECT_EQ(readFile(path("file")), "four");
  EXPECT_FALSE(secureFile(path("file"), 5));
  EXPECT_FALSE(secureFile(path("missing"), 4));
  EXPECT_FALSE(secureFile(path(""), 4));
}

TEST_F(Files, KeepsTheModeOfAnExistingFile) {
  writeFileAtomically(path("file"), "old");
  fs::permissions(path("file"), fs::perms(0640));
  writeFileAtomically(path("file"), "new");
  EXPECT_EQ(fs::status(path("file")).permissions(), fs::perms(0640));
}

TEST_F(Files, NewFilesFollowTheUmask) {
  const mode_t before = ::umask(027);
  writeFileAtomically(path("file"), "new");
  ::umask(before);
  EXPECT_EQ(fs::status(path("file")).permissions(), fs::perms(0640));
}

TEST_F(Files, ReplacesWhatALinkLeadsTo) {
  writeFileAtomically(path("file"), "old");
  fs::create_symlink("file", path("link"));
  writeFileAtomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(readFile(path("file")), "new");
}

TEST_F(Files, MakesWhatALinkLeadsTo) {
  fs::create_symlink("file", path("link"));
  fs::create_symlink("link", path("second"));
  writeFileAtomically(path("second"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("second")));
  EXPECT_EQ(readFile(path("file")), "new");
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(writeFailure(path("loop")), "cannot be written: Too many levels of symbolic links");
}

TEST_F(Files, NamesOfOneFile) {
  const auto same = [](const std::string& a, const std::string& b) {
    return fileIdentity(a) == fileIdentity(b);
  };
  EXPECT_TRUE(same(path("new"), path("new")));
  EXPECT_TRUE(same(path("new"), path("./new")));
  EXPECT_FALSE(same(path("new"), path("other")));
  fs::create_symlink("new", path("link"));
  EXPECT_TRUE(same(path("link"), path("new"))) << "not there yet";
  writeFileAtomically(path("new"), "");
  EXPECT_TRUE(same(path("new"), path("link")));
  // Each is replaced on its own.
  fs::create_hard_link(path("new"), path("hard"));
  EXPECT_FALSE(same(path("new"), path("hard")));
  EXPECT_FALSE(same("/dev/null", "/dev/../dev/null"));
}

TEST_F(Files, ChecksWhatCanBeToldWithoutWriting) {
  const auto failure = [](const std::string& name) {
    return thrown<OutputError>([&] { checkWritable(name); });
  };
  EXPECT_EQ(failure("/dev/full"), "cannot be written: No space left on device");
  EXPECT_EQ(failure("/dev/null"), "nothing");
  EXPECT_EQ(failure(path("")), "cannot be written: Is a directory");
  EXPECT_EQ(failure(path("new/")), "cannot be written: No such file or directory");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(failure(path("pipe")), "nothing") << "and no wait for a reader";
  struct sockaddr_un address {
    .sun_family = AF_UNIX, .sun_path = {}
  };
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(failure(path("socket")), "cannot be written: No such device or address");
  ::close(socket);
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Files, ReplacesAndDoesNotOverwrite) {
  writeFileAtomically(path("file"), "old");
  fs::create_hard_link(path("file"), path("other"));
  writeFileAtomically(path("file"), "new");
  EXPECT_EQ(readFile(path("other")), "old");
}

// Whatever has a name may be left behind by a kill.
TEST_F(Files, ANewFileHasNoOtherNameBefore) {
  const int nameless = ::open(path("").c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (nameless < 0) GTEST_SKIP() << "a file system without files that have no name";
  ::close(nameless);
  const int watcher = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  ASSERT_GE(::inotify_add_watch(watcher, path("").c_str(), IN_CREATE | IN_MOVE | IN_DELETE), 0);
  const auto names = [&] {
    alignas(struct inotify_event) char buffer[4096];
    const ssize_t size = ::read(watcher, buffer, sizeof buffer);
    std::vector<std::string> list;
    for (ssize_t at = 0; at < size;) {
      const auto* const event = reinterpret_cast<const struct inotify_event*>(buffer + at);
      list.emplace_back(event->name);
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return list;
  };
  writeFileAtomically(path("file"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  writeFileAtomically(path("file"), "new");
  const std::vector<std::string> replacing = names();  // made, moved from, moved to
  ASSERT_EQ(replacing.size(), 3U);
  EXPECT_EQ(replacing[0], replacing[1]);
  EXPECT_EQ(replacing[2], "file");
  ::close(watcher);
}

TEST_F(Files, NamesTheReasonOfAFailure) {
  EXPECT_EQ(writeFailure(path("none/file")), "cannot be written: No such file or directory");
  EXPECT_EQ(writeFailure(path("")), "cannot be written: Is a directory");
  EXPECT_EQ(writeFailure(""), "cannot be written: No such file or directory");
  EXPECT_EQ(writeFailure("/dev/full"), "cannot be written: No space left on device");
  writeFileAtomically(path("file"), "old");
  EXPECT_EQ(writeFailure(path("file/below")), "cannot be written: Not a directory");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, ALongNameIsNoReasonToFail) {
  writeFileAtomically(path(std::string(255, 'n')), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, AFailedReplacementLeavesTheOldFileAlone) {
  fs::create_directory(path("directory"));
  std::ofstream(path("directory/kept")) << "old";
  EXPECT_THAT(writeFailure(path("directory")), HasSubstr("Is a directory"));
  EXPECT_EQ(readFile(path("directory/kept")), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, ReadingNamesTheReasonOfAFailure) {
  const auto failure = [&](const std::string& name) {
    return thrown<InputError>([&] { readFile(name); });
  };
  EXPECT_EQ(failure(path("none")), "cannot be read: No such file or directory");
  EXPECT_EQ(failure(path("")), "cannot be read: Is a directory");
  EXPECT_EQ(failure(""), "cannot be read: No such file or directory");
  EXPECT_EQ(failure("/dev/zero"), "cannot be read: a device, neither a file nor a pipe");
}

TEST_F(Files, OnlyRegularFilesAreReplaceable) {
  EXPECT_TRUE(isReplaceable(path("new")));
  EXPECT_FALSE(isReplaceable(path("")));
  EXPECT_FALSE(isReplaceable("/dev/null"));
  EXPECT_FALSE(isReplaceable("/dev/stdout"));
  EXPECT_FALSE(isReplaceable("/dev/fd/7"));
  EXPECT_FALSE(isReplaceable("/proc/self/fd/7"));
}

}  // namespace
}  // namespace tilebeam::test
