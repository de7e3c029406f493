// Class numbers from labels as people write them.
#pragma once

#include <glgnn/dataset.h>

#include <string>
#include <vector>

#include "data/message.h"

namespace glgnn {

// Text labels as they were written. Those that mean nothing ("", NA, None, ?, -, and the words of
// `missing`) are unknown; spellings of one class (yes and Yes, 1 and 1.0) are joined; both is
// noted. Classes are in the order of the numbers if all are numbers, else of the alphabet, so that
// they do not depend on the order of the rows.
void set_labels(Dataset& dataset, const std::vector<std::string>& texts,
                const std::vector<std::string>& missing = {});

// The same for all spellings of a class.
std::string label_key(const std::string& text);

// Number labels, negative where unknown; the classes are named by their numbers.
void set_labels(Dataset& dataset, const std::vector<int64_t>& numbers);

// Throws if one cannot learn from these labels; notes the classes with a single labelled row.
// `column` is the name of the label column, or empty. `are_classes`: the user says so, whatever
// they look like.
void check_labels(Dataset& dataset, const Place& place, const std::string& column = "",
                  bool are_classes = false);

}  // namespace glgnn
