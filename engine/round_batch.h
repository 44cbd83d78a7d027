// How many rounds run side by side. Where beams stay narrow a round has too little work for many
// workers, and more rounds are the only work there is. Where nothing better has been found for some
// time, rounds have little to gain from those before them. Where wide beams are asked for, there is
// so much to do that what rounds would gain by those before them matters less.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilebeam {

class RoundBatch {
 public:
  // `beamWidth` as the user has asked for it; 0: by level.
  RoundBatch(std::int64_t beamWidth, std::size_t opCount);

  // Rounds to run at once after `rounds`. It hangs on content alone, never on time.
  std::int64_t next(std::int64_t rounds) const;

  // So many rounds have generated so many states, and found something better or not.
  void took(std::int64_t rounds, std::int64_t states, bool bettered);

 private:
  std::int64_t nextOfWide(std::int64_t rounds) const;
  std::int64_t mostStates(std::int64_t each) const;

  std::size_t opCount_;
  bool wide_;                // so are the beams asked for, and the graph goes in segments
  std::int64_t last_ = 1;    // rounds at once
  std::int64_t idle_ = 0;    // rounds since something better was found
  std::int64_t states_ = 0;  // of all rounds
};

}  // namespace tilebeam
