// How accurate the model will be on rows whose labels nobody has shown it.
//
// The validation rows chose the stages, the epochs and the modules, so the accuracy on them
// flatters. Bootstrap bias-corrected cross-validation (Tsamardinos, Greasidou and Borboudakis,
// Machine Learning 107, 2018) needs no further training: draw as many of the held-back rows as
// there are, with replacement; choose and join by the rows drawn; judge by those that were not;
// many times.
#pragma once

#include <glgnn/model.h>

#include <cstdint>
#include <vector>

#include "network/held_back.h"

namespace glgnn {

// `members`: how many modules the network joins in each fold. Without rows that
// were held back: no estimate (rows = 0).
Estimate estimate_accuracy(const std::vector<HeldBack>& folds, int64_t classes, int64_t members,
                           uint64_t seed);

// Sets low and high: the interval that holds the truth 95 times of 100, where `rows` rows judged.
void set_interval(Estimate& estimate, double rows);

}  // namespace glgnn
