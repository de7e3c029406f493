// When memory is worth more than the time to ask for it again.
#pragma once

#include <cstdint>

namespace glgnn {

// From so many rows on, training and evaluation do not hold their memory at the same time: to ask
// for it again costs nothing beside such an epoch.
inline constexpr int64_t kRowsWorthReleasing = 8192;

}  // namespace glgnn
