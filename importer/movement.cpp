#include "importer/movement.h"

#include <algorithm>

namespace tilebeam::importer {

TensorId Movement::copy(std::vector<TensorId> sources, const Tensor& shape, const Origin& origin) {
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  if (sources.size() == 1 && draft_.shape(sources.front()) == shape) {
    return draft_.movingPointwise(sources, origin);
  }
  return spread(joined(sources, origin), shape, origin);
}

TensorId Movement::joined(const std::vector<TensorId>& sources, const Origin& origin) {
  const auto [place, isNew] = joined_.try_emplace(sources);
  if (!isNew) return place->second;
  std::vector<TensorId> scalars;
  for (const TensorId source : sources) scalars.push_back(scalarOf(source, origin));
  place->second = scalars.size() == 1 ? scalars.front() : draft_.movingPointwise(scalars, origin);
  return place->second;
}

// Columns first: a row of ones times the source.
TensorId Movement::scalarOf(TensorId source, const Origin& origin) {
  const auto [place, isNew] = scalars_.try_emplace(source);
  if (!isNew) return place->second;
  const Tensor shape = draft_.shape(source);
  TensorId sum = source;
  if (shape.height > 1) sum = draft_.movingMatMul(ones(shape.height, 1), sum, origin);
  if (shape.width > 1) sum = draft_.movingMatMul(sum, ones(1, shape.width), origin);
  return place->second = sum;
}

TensorId Movement::spread(TensorId scalar, const Tensor& shape, const Origin& origin) {
  TensorId result = scalar;
  if (shape.height > 1) result = draft_.movingMatMul(ones(1, shape.height), result, origin);
  if (shape.width > 1) result = draft_.movingMatMul(result, ones(shape.width, 1), origin);
  // Of one element, it still is a tensor of its own.
  return result == scalar ? draft_.movingPointwise({scalar}, origin) : result;
}

TensorId Movement::ones(std::int64_t width, std::int64_t height) {
  const auto [place, isNew] = ones_.try_emplace({width, height});
  if (isNew) place->second = draft_.tensor({width, height});
  return place->second;
}

}  // namespace tilebeam::importer
