// The search for a method's settings, the same for all: its own start, then random draws. Which of
// them is taken is chosen by each run's validation labels.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "methods/method.h"

namespace glgnn {

// Values that a person gave for a setting: the search draws from these instead.
using GivenValues = std::vector<std::pair<std::string, std::vector<double>>>;

// At most `budget` different assignments of all settings, fewer where there are no more. The first
// is the method's start, or a person's first values. kUsage where the method has no such setting.
std::vector<MethodValues> draw_settings(const Method& method, int64_t budget,
                                        const GivenValues& given);

}  // namespace glgnn
