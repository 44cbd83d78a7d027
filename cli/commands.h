// The commands of `tilebeam`. Each adds itself to the parser and sets the action when it is chosen.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"
#include "tilebeam/problem.h"

namespace tilebeam::cli {

// `commandLine` is for the statistics.
void addSolveCommand(CLI::App& parser, Action& action, const std::vector<std::string>& commandLine);
void addEvaluateCommand(CLI::App& parser, Action& action);
void addBoundCommand(CLI::App& parser, Action& action);
void addCompareCommand(CLI::App& parser, Action& action);
void addExplainCommand(CLI::App& parser, Action& action);
void addGenerateCommand(CLI::App& parser, Action& action);
void addRenderCommand(CLI::App& parser, Action& action);
void addImportCommand(CLI::App& parser, Action& action);
void addSuiteCommand(CLI::App& parser, Action& action, const std::vector<std::string>& commandLine);
void addScaleCommand(CLI::App& parser, Action& action);
void addMergeCommand(CLI::App& parser, Action& action, const std::vector<std::string>& commandLine);

// --depth native|full, as several commands have it.
void addDepthOption(CLI::App& command, DepthReading& depth);

// "native" or "full"
const char* depthName(DepthReading depth);

}  // namespace tilebeam::cli
