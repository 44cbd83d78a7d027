#include "simulator/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

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
  EXPECT_TRUE(namesSameFile(path("new"), path("new")));
  EXPECT_TRUE(namesSameFile(path("new"), path("./new")));
  EXPECT_FALSE(namesSameFile(path("new"), path("other")));
  fs::create_symlink("new", path("link"));
  EXPECT_TRUE(namesSameFile(path("link"), path("new"))) << "not there yet";
  writeFileAtomically(path("new"), "");
  EXPECT_TRUE(namesSameFile(path("new"), path("link")));
  // Each is replaced on its own.
  fs::create_hard_link(path("new"), path("hard"));
  EXPECT_FALSE(namesSameFile(path("new"), path("hard")));
  EXPECT_FALSE(namesSameFile("/dev/null", "/dev/../dev/null"));
}

TEST_F(Files, ReplacesAndDoesNotOverwrite) {
  writeFileAtomically(path("file"), "old");
  fs::create_hard_link(path("file"), path("other"));
  writeFileAtomically(path("file"), "new");
  EXPECT_EQ(readFile(path("other")), "old");
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
