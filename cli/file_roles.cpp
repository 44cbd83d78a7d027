#include "cli/file_roles.h"

#include "cli/streams.h"
#include "simulator/files.h"

namespace tilebeam::cli {

void FileRoles::addInput(const std::string& path) {
  // A pipe or a device is not replaced.
  if (!path.empty() && isReplaceable(path)) inputs_.insert(fileIdentity(path));
}

void FileRoles::addOutput(const std::string& path) {
  if (path.empty()) return;
  const std::string identity = fileIdentity(path);
  if (inputs_.contains(identity)) {
    throw Failure(ExitCode::kWrongUsage, path + ": the output would overwrite an input");
  }
  const auto [other, isNew] = taken_.try_emplace(identity, path);
  if (!isNew) {
    throw Failure(ExitCode::kWrongUsage,
                  path + ": is the same file as " + other->second + "; outputs need a file each");
  }
  outputs_.push_back(path);
}

void FileRoles::requireWritable() const {
  for (const std::string& output : outputs_) cli::requireWritable(output);
}

}  // namespace tilebeam::cli
