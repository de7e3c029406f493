// How faithful and stable explanations of a fitted model are, beside optimised masks and random
// picks; printed as a table or as JSON.
#pragma once

#include <glgnn/context.h>

#include <cstdint>
#include <string>

namespace glgnn::bench {

struct ComparisonOptions {
  std::string model;  // a file
  int64_t rows = 20;  // drawn by chance, the same every time
  int64_t seeds = 3;  // of the methods that have one
  bool json = false;
};

// The exit status.
int compare_explanations(const ComparisonOptions& options, const Context& context);

}  // namespace glgnn::bench
