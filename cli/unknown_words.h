// What to say of words on the command line that mean nothing.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilebeam::cli {

// The one of `names` that `word` is most likely a slip for; "" if none is close.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

// Names the command that is none; "" if none was given, or a real one.
std::string unknownCommand(const CLI::App& parser);

// After a failed parse: names the first command, option or argument that is none, and the nearest
// that is. "" if there is no such word.
std::string unknownWord(const CLI::App& parser);

}  // namespace tilebeam::cli
