// Which scaling suits sparse features such as words: rows of length 1, or weighed by rarity first.
#pragma once

#include <glgnn/config.h>
#include <glgnn/dataset.h>

namespace glgnn {

// Every validation row asks the training rows for its class, each voting by its similarity. kTfidf
// where that gets clearly more rows right (by more than the deviation of as many tosses of a coin
// as there are rows on which the two differ), else kRowUnit. No other label is read.
Scaling text_scaling(const Dataset& dataset, const Split& split);

}  // namespace glgnn
