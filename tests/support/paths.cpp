#include "support/paths.h"

namespace tilebeam::test {

const std::string& tilebeamProgram() {
  static const std::string path = TILEBEAM_PROGRAM;
  return path;
}

const std::string& mlsysProgram() {
  static const std::string path = MLSYS_PROGRAM;
  return path;
}

const std::string& sourceDirectory() {
  static const std::string path = TILEBEAM_SOURCE_DIR;
  return path;
}

}  // namespace tilebeam::test
