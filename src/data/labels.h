// Class numbers from labels as people write them.
#pragma once

#include <glgnn/dataset.h>

#include <string>
#include <vector>

#include "data/message.h"

namespace glgnn {

// Text labels, "" where unknown. Classes are in the order of the numbers if all are numbers, else
// of the alphabet, so that they do not depend on the order of the rows.
void set_labels(Dataset& dataset, const std::vector<std::string>& texts);

// Number labels, negative where unknown; the classes are named by their numbers.
void set_labels(Dataset& dataset, const std::vector<int64_t>& numbers);

// Throws if one cannot learn from these labels; notes the classes with a single labelled row.
// `column` is the name of the label column, or empty.
void check_labels(Dataset& dataset, const Place& place, const std::string& column = "");

}  // namespace glgnn
