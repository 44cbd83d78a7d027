#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "cli/commands.h"
#include "cli/csv.h"
#include "cli/file_roles.h"
#include "cli/output_option.h"
#include "cli/streams.h"
#include "importer/lowering.h"
#include "importer/model_start.h"
#include "simulator/files.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

struct ImportArguments {
  std::string model;
  std::string output = kStandardOutput;
  std::string hardware;
  std::string map;
  std::vector<std::string> dimensions;
  bool strict = false;
};

importer::NamedDimensions readDimensions(const std::vector<std::string>& texts) {
  importer::NamedDimensions dimensions;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    std::int64_t size = 0;
    const char* const end = text.data() + text.size();
    const char* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stop, error] = std::from_chars(begin, end, size);
    if (equals == 0 || error != std::errc() || stop != end || size < 1) {
      throw Failure(ExitCode::kWrongUsage, "--dim: '" + text + "' is not NAME=N, as in batch=1");
    }
    const std::string name = text.substr(0, equals);
    if (!dimensions.emplace(name, size).second) {
      throw Failure(ExitCode::kWrongUsage, "--dim: '" + name + "' is given twice");
    }
  }
  return dimensions;
}

importer::HardwareDescription loadHardware(const std::string& path) {
  if (path.empty()) return {};
  constexpr std::size_t kLargestHardware = std::size_t{1} << 20;
  return readInput(path, kLargestHardware, beginsObject,
                   [](const std::string& text) { return importer::parseHardware(text); });
}

void checkFiles(const ImportArguments& arguments) {
  FileRoles files;
  for (const std::string& input : {arguments.model, arguments.hardware}) files.addInput(input);
  for (const std::string& output : {arguments.output, arguments.map}) files.addOutput(output);
  files.requireWritable();
}

std::string mapCsv(const importer::Imported& imported) {
  std::string text = csvLine({"op", "type", "node", "node_type"});
  for (std::size_t o = 0; o < imported.origins.size(); ++o) {
    const Op& op = imported.problem.op(OpId::fromIndex(o));
    text += csvLine(
        {std::to_string(o), name(op.type), imported.origins[o].node, imported.origins[o].type});
  }
  return text;
}

void refuseCopies(const std::vector<std::string>& copies) {
  if (copies.empty()) return;
  const std::size_t others = copies.size() - 1;
  throw InputError(copies.front() + ": a copy in slow memory, which --strict refuses" +
                   (others > 0 ? " (" + std::to_string(others) + " more)" : ""));
}

void reportCopies(const ImportArguments& arguments, const std::vector<std::string>& copies) {
  constexpr std::size_t kShown = 10;
  const std::string start = "tilebeam: " + arguments.model + ": copied in slow memory: ";
  for (std::size_t i = 0; i < std::min(copies.size(), kShown); ++i) printLine(start + copies[i]);
  if (copies.size() > kShown) {
    printLine(start + std::to_string(copies.size() - kShown) + " more");
  }
}

std::string summary(const std::string& path, const Problem& problem) {
  const auto products = std::count_if(problem.ops().begin(), problem.ops().end(),
                                      [](const Op& op) { return op.isMatMul(); });
  return "tilebeam: " + path + ": " + std::to_string(problem.opCount()) + " ops, " +
         std::to_string(products) + " of them MatMul, " + std::to_string(problem.tensorCount()) +
         " tensors";
}

importer::Imported importModel(const ImportArguments& arguments,
                               const importer::NamedDimensions& dimensions,
                               const importer::HardwareDescription& hardware) {
  constexpr std::size_t kLargestModel = std::size_t{1} << 31;  // as much as protobuf takes
  return readInput(
      arguments.model, kLargestModel, importer::beginsModel, [&](const std::string& content) {
        try {
          importer::Imported result =
              importer::lower(importer::readOnnx(content, dimensions), hardware);
          if (arguments.strict) refuseCopies(result.copies);
          return result;
        } catch (const importer::UnknownDimension& error) {
          throw Failure(ExitCode::kWrongUsage, arguments.model + ": --dim: " + error.what());
        }
      });
}

// Pipes and devices first, whose faults show only when they are written to; of two files, the
// problem last. So there is no problem without its map.
void save(const ImportArguments& arguments, const importer::Imported& imported) {
  const auto saveProblem = [&] { saveFile(arguments.output, writeProblem(imported.problem)); };
  const auto saveMap = [&] { saveFile(arguments.map, mapCsv(imported)); };
  if (arguments.map.empty()) return saveProblem();
  if (isReplaceable(arguments.map) && !isReplaceable(arguments.output)) {
    saveProblem();
    saveMap();
  } else {
    saveMap();
    saveProblem();
  }
}

ExitCode runImport(const ImportArguments& arguments) {
  checkFiles(arguments);
  const importer::NamedDimensions dimensions = readDimensions(arguments.dimensions);
  const importer::HardwareDescription hardware = loadHardware(arguments.hardware);
  const importer::Imported imported = importModel(arguments, dimensions, hardware);
  save(arguments, imported);
  reportCopies(arguments, imported.copies);
  printLine(summary(arguments.model, imported.problem));
  return ExitCode::kDone;
}

}  // namespace

void addImportCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App& command = *parser.add_subcommand("import", "Make a problem of an ONNX model");
  command.add_option("MODEL", arguments->model, "The model, ONNX")->required();
  addOutputOption(command, "-o,--output", arguments->output,
                  "Problem to write (default: standard output)");
  command
      .add_option("--hardware", arguments->hardware, "Machine, JSON (default: see docs/import.md)")
      ->type_name("FILE");
  command
      .add_option("--dim", arguments->dimensions, "Size of a dimension that the model only names")
      ->type_name("NAME=N")
      ->expected(1)
      ->take_all();
  addOutputOption(command, "--map", arguments->map,
                  "Table to write: which node each op comes from, CSV");
  command.add_flag("--strict", arguments->strict, "Refuse models that need copies in slow memory");
  command.footer("Example: tilebeam import model.onnx --dim batch=1 -o problem.json");
  command.callback(
      [&action, arguments] { action = [arguments] { return runImport(*arguments); }; });
}

}  // namespace tilebeam::cli
