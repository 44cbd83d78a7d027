// The files of one command: none that it writes may replace one that it reads, or another that it
// writes, whatever their names and whatever links stand there.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilebeam::cli {

class FileRoles {
 public:
  // Empty names are none. What stands behind a name is looked at here, so directories must be made
  // before.
  void addInput(const std::string& path);

  // Throws Failure(kWrongUsage) if it is one of the inputs or outputs added so far.
  void addOutput(const std::string& path);

  // Before work that takes long: throws Failure(kCannotWrite) if an output cannot be written to, as
  // far as this can be told without writing.
  void requireWritable() const;

 private:
  std::set<std::string> inputs_;              // identities
  std::map<std::string, std::string> taken_;  // names of the outputs, by identity
  std::vector<std::string> outputs_;
};

}  // namespace tilebeam::cli
