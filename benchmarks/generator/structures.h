// The structures that problems are made of. Each fills the draft to the last op.
#pragma once

#include "benchmarks/generator/draft.h"

namespace tilebeam::generator {

void buildTransformer(Draft& draft);
void buildMultiHead(Draft& draft);
void buildGatedMlp(Draft& draft);
void buildMoe(Draft& draft);
void buildUnet(Draft& draft);
void buildRecurrent(Draft& draft);
void buildChain(Draft& draft);
void buildRandom(Draft& draft);
void buildRandomTiny(Draft& draft);

}  // namespace tilebeam::generator
