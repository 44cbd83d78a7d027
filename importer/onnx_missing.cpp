// In the place of onnx_reader.cpp where the build found no ONNX library.
#include "importer/model.h"
#include "tilebeam/errors.h"

namespace tilebeam::importer {

Model readOnnx(std::string_view /*content*/, const NamedDimensions& /*dimensions*/) {
  throw InputError("this tilebeam was built without libonnx and cannot read models");
}

}  // namespace tilebeam::importer
