// A linear program that grows row by row, solved by Clp. Its library is loaded when the first
// program is made: only proofs of optimality need it, and with LAPACK and Fortran's runtime behind
// it, loading takes longer than everything else before a first schedule.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace tilebeam {

// Maximises the sum of its columns, each in [0, highest], under rows "sum of some columns <=
// limit".
class LinearProgram {
 public:
  // Throws MissingLibraryError if Clp's library cannot be loaded.
  static void require();

  // The same.
  LinearProgram(std::size_t columns, double highest);

  void addRow(const std::vector<int>& columns, double limit);

  // The columns' values, valid until the next call. They are the solver's word, not checked.
  std::span<const double> solve();

 private:
  struct Delete {
    void operator()(void* model) const;
  };

  std::size_t columns_;
  std::unique_ptr<void, Delete> model_;
};

}  // namespace tilebeam
