// Where the programs and the tree are. Only paths.cpp is compiled with the paths, so that clones
// share what ccache holds of all other tests.
#pragma once

#include <string>

namespace tilebeam::test {

const std::string& tilebeamProgram();
const std::string& mlsysProgram();
const std::string& sourceDirectory();

}  // namespace tilebeam::test
