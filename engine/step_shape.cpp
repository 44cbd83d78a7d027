#include "engine/step_shape.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/limits.h"

namespace tilebeam {
namespace {

// Numbers tensors by first mention.
class LocalNames {
 public:
  // The tensor's number; `fresh` tells whether this is its first mention.
  std::uint32_t of(TensorId t, bool& fresh) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (names_[i] == t.value()) {
        fresh = false;
        return i;
      }
    }
    fresh = true;
    if (size_ == names_.size()) {
      full_ = true;
      return size_;
    }
    names_[size_] = t.value();
    return size_++;
  }
  bool full() const { return full_; }

 private:
  static constexpr std::size_t kMost = 256;
  std::array<std::int32_t, kMost> names_;  // the first size_ of them: all would take time to clear
  std::uint32_t size_ = 0;
  bool full_ = false;
};

class Digester {
 public:
  void add(std::uint64_t word) {
    digest_.low = mix(digest_.low ^ word);
    digest_.high = mix(digest_.high + 0x632be59bd9b4e019ULL * (word | 1)) ^ std::rotl(word, 29);
  }
  ShapeDigest digest() const { return digest_; }

 private:
  ShapeDigest digest_{0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL};
};

}  // namespace

std::size_t StepKeyHash::operator()(const StepKey& key) const noexcept {
  std::uint64_t h = key.shape.low;
  h = mix(h ^ (std::uint64_t{key.variant.residentExternals} << 32) ^ key.variant.retained);
  h = mix(h ^ std::rotl(key.variant.unstored, 32) ^
          static_cast<std::uint64_t>(key.variant.residentArea));
  return static_cast<std::size_t>(h);
}

ShapeDigest digestShape(const Problem& problem, std::span<const OpId> ops, OpBits neededOutside) {
  Digester digester;
  LocalNames names;
  const auto addTensor = [&](TensorId t) {
    bool fresh = false;
    digester.add(names.of(t, fresh));
    if (!fresh) return;
    digester.add(static_cast<std::uint64_t>(problem.tensor(t).width));
    digester.add(static_cast<std::uint64_t>(problem.tensor(t).height));
  };
  digester.add(neededOutside);
  for (const OpId o : ops) {
    const Op& op = problem.op(o);
    digester.add(std::bit_cast<std::uint64_t>(op.baseCost));
    digester.add(op.inputs.size() * 2 + (op.isMatMul() ? 1 : 0));
    for (const TensorId t : op.inputs) addTensor(t);
    addTensor(op.output);
  }
  // Beyond so many tensors a step is known by its ops alone, and shared with no other.
  if (names.full()) {
    for (const OpId o : ops) digester.add(static_cast<std::uint64_t>(o.value()));
  }
  return digester.digest();
}

}  // namespace tilebeam
