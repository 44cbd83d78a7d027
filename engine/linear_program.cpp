#include "engine/linear_program.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <array>
#include <coin/CoinFinite.hpp>

#include "simulator/shared_library.h"

namespace tilebeam {
namespace {

// By its ABI's name, as the linker would record it.
constexpr const char* kLibrary = "libClp.so.1";

constexpr const char* kNeed = "the exact search (prove) needs Clp, Debian's coinor-libclp1";

// With LAPACK and Fortran's runtime it takes 21 MB of addresses.
constexpr std::size_t kRoom = std::size_t{32} << 20;

// What is used of the library, under its own names. Loaded once, and never unloaded.
class Clp {
 public:
  static const Clp& loaded() {
    static const Clp clp;
    return clp;
  }

 private:
  // First, since what follows is looked up in it.
  void* library_ = openLibrary(kLibrary, kRoom, kNeed);

  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(findSymbol(library_, name, kNeed));
  }

 public:
#define TILEBEAM_CLP(name) decltype(&Clp_##name) name = find<decltype(&Clp_##name)>("Clp_" #name)
  TILEBEAM_CLP(newModel);
  TILEBEAM_CLP(deleteModel);
  TILEBEAM_CLP(setLogLevel);
  TILEBEAM_CLP(resize);
  TILEBEAM_CLP(setOptimizationDirection);
  TILEBEAM_CLP(columnLower);
  TILEBEAM_CLP(columnUpper);
  TILEBEAM_CLP(objective);
  TILEBEAM_CLP(addRows);
  TILEBEAM_CLP(dual);
  TILEBEAM_CLP(primalColumnSolution);
#undef TILEBEAM_CLP
};

Clp_Simplex* simplex(void* model) { return static_cast<Clp_Simplex*>(model); }

}  // namespace

void LinearProgram::require() { Clp::loaded(); }

void LinearProgram::Delete::operator()(void* model) const {
  Clp::loaded().deleteModel(simplex(model));
}

LinearProgram::LinearProgram(std::size_t columns, double highest)
    : columns_(columns), model_(Clp::loaded().newModel()) {
  const Clp& clp = Clp::loaded();
  Clp_Simplex* const model = simplex(model_.get());
  clp.setLogLevel(model, 0);
  clp.resize(model, 0, static_cast<int>(columns));
  constexpr double kMaximise = -1;
  clp.setOptimizationDirection(model, kMaximise);
  std::fill_n(clp.columnLower(model), columns, 0.0);
  std::fill_n(clp.columnUpper(model), columns, highest);
  std::fill_n(clp.objective(model), columns, 1.0);
}

void LinearProgram::addRow(const std::vector<int>& columns, double limit) {
  const std::vector<double> ones(columns.size(), 1);
  const double unlimited = -COIN_DBL_MAX;
  const std::array<CoinBigIndex, 2> starts{0, static_cast<CoinBigIndex>(columns.size())};
  Clp::loaded().addRows(simplex(model_.get()), 1, &unlimited, &limit, starts.data(), columns.data(),
                        ones.data());
}

std::span<const double> LinearProgram::solve() {
  Clp_Simplex* const model = simplex(model_.get());
  Clp::loaded().dual(model, 0);
  return {Clp::loaded().primalColumnSolution(model), columns_};
}

}  // namespace tilebeam
