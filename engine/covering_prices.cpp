#include "engine/covering_prices.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/linear_program.h"

namespace tilebeam {
namespace {

// Rows added between two solves, and floors raised at once.
constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostRaised = 32;

// Worth above the floor by less than this share of it is the solver's rounding.
constexpr double kTolerance = 1e-7;

class Covering {
 public:
  Covering(StepSets& sets, double highest)
      : sets_(sets),
        opCount_(static_cast<std::size_t>(std::popcount(sets.all()))),
        inProgram_(sets.size(), false),
        program_(opCount_, highest) {
    prices_.perOp.assign(opCount_, 0);
    solution_ = prices_.perOp;
    for (std::size_t o = 0; o < opCount_; ++o) valid_.push_back(sets.compute(o));
  }

  // Looks for violated sets halfway between valid prices and the program's: there, those that
  // matter stand out. Only where none is left, at the program's own.
  CoveringPrices run() {
    start();
    while (!sets_.stopped() && !prices_.settled) {
      solve();
      for (const double share : {0.5, 1.0}) {
        moveTowardsSolution(share);
        findViolated();
        if (!violated_.empty()) break;
        valid_ = prices_.perOp;
        prices_.settled = share == 1.0;
      }
      if (!prices_.settled && !addRows()) raiseFloors();
    }
    prices_.perOp = valid_;
    makeValid();
    return std::move(prices_);
  }

 private:
  // With the ops alone.
  void start() {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (std::has_single_bit(sets_[s].ops)) violated_.push_back({0, s});
    }
    while (!violated_.empty() && !sets_.settled(violated_.back().set)) {
      if (sets_.stopped()) return;
      raiseFloors();
    }
    addRows();
  }

  void solve() {
    if (!changed_) return;
    changed_ = false;
    const std::span<const double> solution = program_.solve();
    for (std::size_t o = 0; o < opCount_; ++o) {
      solution_[o] = std::isfinite(solution[o]) ? std::max(0.0, solution[o]) : 0;
    }
  }

  void moveTowardsSolution(double share) {
    for (std::size_t o = 0; o < opCount_; ++o) {
      prices_.perOp[o] = valid_[o] + share * (solution_[o] - valid_[o]);
    }
  }

  double worth(std::size_t s) const {
    double sum = 0;
    for (OpMask rest = sets_[s].ops; rest != 0; rest &= rest - 1) {
      sum += prices_.perOp[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    return sum;
  }

  // Sets worth more than their floor, the worst first.
  void findViolated() {
    violated_.clear();
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (inProgram_[s]) continue;
      const double excess = worth(s) - sets_.floor(s) * (1 + kTolerance);
      if (excess > 0) violated_.push_back({excess, s});
    }
    std::stable_sort(violated_.begin(), violated_.end(),
                     [](const Violated& a, const Violated& b) { return a.excess > b.excess; });
  }

  // Of violated sets whose floors cannot be raised. False if there is none.
  bool addRows() {
    std::size_t rows = 0;
    for (const Violated& v : violated_) {
      if (!sets_.settled(v.set)) continue;
      inProgram_[v.set] = true;
      if (std::isfinite(sets_.floor(v.set))) addRow(v.set);
      if (++rows == kMostRows) break;
    }
    changed_ = rows > 0;
    return changed_;
  }

  void addRow(std::size_t s) {
    std::vector<int> columns;
    for (OpMask rest = sets_[s].ops; rest != 0; rest &= rest - 1) {
      columns.push_back(std::countr_zero(rest));
    }
    program_.addRow(columns, sets_.floor(s));
  }

  void raiseFloors() {
    std::vector<std::size_t> chosen;
    for (const Violated& v : violated_) {
      if (!sets_.settled(v.set)) chosen.push_back(v.set);
      if (chosen.size() == kMostRaised) break;
    }
    sets_.raiseFloors(chosen);
  }

  // Scales prices down where a set is still worth more than its floor.
  void makeValid() {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const double sum = worth(s);
      if (sum <= sets_.floor(s)) continue;
      for (OpMask rest = sets_[s].ops; rest != 0; rest &= rest - 1) {
        prices_.perOp[static_cast<std::size_t>(std::countr_zero(rest))] *= sets_.floor(s) / sum;
      }
    }
    for (const double price : prices_.perOp) prices_.sum += price;
  }

  struct Violated {
    double excess = 0;
    std::size_t set = 0;
  };

  StepSets& sets_;
  std::size_t opCount_;
  std::vector<bool> inProgram_;
  std::vector<Violated> violated_;
  bool changed_ = true;
  std::vector<double> valid_;     // prices that violate no set
  std::vector<double> solution_;  // the program's
  LinearProgram program_;
  CoveringPrices prices_;
};

}  // namespace

CoveringPrices coveringPrices(StepSets& sets, double highest) {
  return Covering(sets, highest).run();
}

}  // namespace tilebeam
