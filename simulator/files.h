// Files that need care: names that are written to, and streams that may never end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilebeam {

// A problem with a million ops takes some 100 MB; past this, a text is endless, or none of ours.
inline constexpr std::size_t kLargestText = std::size_t{1} << 30;

// Of what comes from a pipe, of whatever kind: a second's reading, since a pipe may never end.
inline constexpr std::size_t kLargestStream = std::size_t{1} << 28;

// Called with what has been read so far, and how much of it the call before has seen, until it
// returns true: throws if that cannot be the beginning of a document, false asks for more.
using StartCheck = bool (*)(std::string_view start, std::size_t seen);

// Asked while a pipe or a terminal has nothing to read.
using StopCheck = bool (*)();

// As readFile(path) of json_io.h, with a size of one's own and a look at the first bytes. Devices
// are refused, but for terminals. Where `stop` says so, it throws InterruptedError instead of
// waiting for more; what is there is read.
std::string readFile(const std::string& path, std::size_t largest, StartCheck check,
                     StopCheck stop = nullptr);

// Whether `path` names a regular file or nothing yet, so that it can be replaced whole. Otherwise
// (a pipe, a device, a descriptor such as /dev/stdout) what is written to it is written for good.
bool isReplaceable(const std::string& path);

// The same for two names if writing to one would replace what was written to the other, there or
// not yet. Hard links are replaced each on its own; what cannot be replaced stands for itself.
std::string fileIdentity(const std::string& path);

// Throws OutputError if `path` cannot be written to, as far as this can be told without writing.
// Leaves nothing behind.
void checkWritable(const std::string& path);

// Makes what was written with Durability::kProcess survive the end of the machine too. False if
// `path` is not a file of `size` bytes any more or cannot be secured: it has to be written again.
bool secureFile(const std::string& path, std::size_t size);

}  // namespace tilebeam
