// The space of modules that a search draws from: the same for every dataset of a kind.
#pragma once

#include <cstdint>

#include "train/pool.h"

namespace glgnn {

// Module number `index` of an endless list that `seed` shuffles. Every value is drawn evenly from
// the lists in space.cpp.
ModuleSpec draw_module(const DataKind& kind, uint64_t seed, uint32_t index);

}  // namespace glgnn
