// Class numbers from labels as people write them.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>
#include <map>
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

// Texts and their rows, spellings of one class or level joined under the one of the most rows:
// those that differ in blanks or in plain case (yes, Yes, YES), or as 1 and 1.0 do. Where case
// tells classes apart it is left alone: "had" and "hAd", each of many rows; a and A, b and B, c and
// C.
struct Spellings {
  std::map<std::string, std::string> name_of;
  std::vector<std::string> apart;  // as `"had" and "hAd"`
};
Spellings join_spellings(const std::map<std::string, int64_t>& rows_of);

// Number labels; the classes are named by their numbers. Beside two or more classes from 0 on -1
// marks rows without a label; else kByOthers takes it as a class, with a note, as Python does.
// kNoLabel (npy.h) marks them anyway.
enum class MinusOne { kUnknown, kClass, kByOthers };
void set_labels(Dataset& dataset, const std::vector<int64_t>& numbers,
                const std::vector<std::string>& missing, MinusOne minus_one);

// Throws if one cannot learn from these labels; notes the classes with a single labelled row.
// `column` is the name of the label column, or empty. `are_classes`: the user says so, whatever
// they look like.
void check_labels(Dataset& dataset, const Place& place, const std::string& column = "",
                  bool are_classes = false);

}  // namespace glgnn
