// The table of options knows every field of SolverOptions, so the statistics do.
#include "cli/option_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <variant>

namespace tilebeam::test {
namespace {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT: implicit, so that it initialises any field
};

template <std::size_t... I>
constexpr bool hasFields(std::index_sequence<I...>) {
  return requires { SolverOptions{(static_cast<void>(I), Anything{})...}; };
}

// Grows until the braces hold more than there are fields.
template <std::size_t N = 1>
constexpr std::size_t fieldCount() {
  if constexpr (hasFields(std::make_index_sequence<N>{})) {
    return fieldCount<N + 1>();
  } else {
    return N - 1;
  }
}

TEST(OptionTable, HasARowForEveryField) { EXPECT_EQ(cli::optionTable().size(), fieldCount()); }

TEST(OptionTable, NoRowStandsTwice) {
  SolverOptions options;
  std::set<const void*> fields;
  std::set<std::string> names;
  std::set<std::string> flags;
  for (const cli::OptionRow& row : cli::optionTable()) {
    fields.insert(std::visit(
        [&](auto member) { return static_cast<const void*>(&(options.*member)); }, row.member));
    names.insert(row.name);
    flags.insert(row.flag);
  }
  EXPECT_EQ(fields.size(), cli::optionTable().size());
  EXPECT_EQ(names.size(), cli::optionTable().size());
  EXPECT_EQ(flags.size(), cli::optionTable().size());
}

}  // namespace
}  // namespace tilebeam::test
