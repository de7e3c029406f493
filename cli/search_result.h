// What `glgnn search` found, for people and for programs.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>

#include "report/json.h"
#include "train/search.h"

namespace glgnn::cli {

// The joined result on the test rows, the only ones that no trial has seen.
struct TestScore {
  size_t rows = 0;
  double accuracy = 0;
};
TestScore score_test_rows(const SearchResult& result, const Dataset& dataset, const Split& split);

// The best `top` trials.
void print_ranking(const SearchResult& result, int64_t top);
Json ranking_json(const SearchResult& result, int64_t top);

// How many trials have a score, how many of them count, and whether the time was up.
Json counts_json(const SearchResult& result);

// How well the joined result fits the validation rows, and what it is made of.
Json joined_json(const SearchResult& result);

void print_joined(const SearchResult& result, const Split& split, const TestScore& test);

}  // namespace glgnn::cli
