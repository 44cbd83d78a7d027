// Problems and schedules as JSON (docs/file-formats.md). Strict: duplicate keys, missing keys,
// wrong types, fractional or out-of-range integers and unequal list lengths are refused with
// InputError, which names the place and the rule. Unknown keys are ignored.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"

namespace tilebeam {

Problem parseProblem(std::string_view json);
Schedule parseSchedule(std::string_view json);

// One line per step and list, so that files can be compared by line. `latencies` become
// subgraph_latencies (one per step). Traversals are written as explicit orders, raster as null.
std::string writeProblem(const Problem& problem);
std::string writeSchedule(const Problem& problem, const Schedule& schedule,
                          const std::vector<double>& latencies);

// Reads a whole file. Throws InputError ("cannot be read: ...").
std::string readFile(const std::string& path);

// What a file that has been replaced survives: the end of this program, by whatever signal, or that
// of the machine too (which takes longer, some disks tens of milliseconds).
enum class Durability : std::uint8_t { kProcess, kMachine };

// Replaces `path` by `content` whole or not at all: a temporary file beside it, then renamed. A
// path that is not a regular file (a pipe, /dev/stdout) is written to directly. Throws OutputError.
void writeFileAtomically(const std::string& path, std::string_view content,
                         Durability durability = Durability::kMachine);

}  // namespace tilebeam
