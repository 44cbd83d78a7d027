#include "cli/shard.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/exit_code.h"

namespace tilebeam::cli {
namespace {

constexpr std::int64_t kMaxShards = 1'000'000'000;

[[noreturn]] void refuse(const std::string& why) {
  throw Failure(ExitCode::kWrongUsage, "--shard: " + why + " (see --help)");
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> variable(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const auto value = parseInteger(text);
  if (!value) refuse(std::string(name) + " is no integer: " + text);
  return value;
}

// Ranks count from 0.
std::optional<Shard> shardOfRank(const char* rankName, const char* sizeName) {
  const auto rank = variable(rankName);
  const auto size = variable(sizeName);
  if (!rank || !size) return std::nullopt;
  return Shard{*rank + 1, *size};
}

std::optional<Shard> shardOfSlurmArray() {
  const auto id = variable("SLURM_ARRAY_TASK_ID");
  const auto count = variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const std::int64_t least = variable("SLURM_ARRAY_TASK_MIN").value_or(1);
  const std::int64_t step = variable("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (step < 1 || (*id - least) % step != 0) refuse("the Slurm array's ids are not evenly spaced");
  return Shard{(*id - least) / step + 1, *count};
}

Shard shardOfEnvironment() {
  if (const auto shard = shardOfRank("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) return *shard;
  if (const auto shard = shardOfRank("PMI_RANK", "PMI_SIZE")) return *shard;
  if (const auto shard = shardOfSlurmArray()) return *shard;
  refuse("auto needs an MPI launcher or a Slurm array");
}

Shard shardOfText(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) refuse("must be I/N or auto, not " + text);
  const auto index = parseInteger(std::string_view(text).substr(0, slash));
  const auto count = parseInteger(std::string_view(text).substr(slash + 1));
  if (!index || !count) refuse("must be I/N or auto, not " + text);
  return {*index, *count};
}

}  // namespace

Shard parseShard(const std::string& text) {
  const Shard shard = text == "auto" ? shardOfEnvironment() : shardOfText(text);
  if (shard.count < 1 || shard.count > kMaxShards || shard.index < 1 || shard.index > shard.count) {
    refuse("no shard " + std::to_string(shard.index) + " of " + std::to_string(shard.count));
  }
  return shard;
}

}  // namespace tilebeam::cli
