// How a fitted module compares rows, for those who show it.
#pragma once

#include <glgnn/model.h>

#include <optional>
#include <string>
#include <vector>

namespace glgnn {

struct Compares {
  std::vector<std::string> views;  // of the features
  int64_t k = 0;                   // neighbours in each view
  bool euclidean = false;          // else by the angle between rows
};

// None for modules that learn how to compare (the paper's kind).
std::optional<Compares> compares(const FittedModule& module);

}  // namespace glgnn
