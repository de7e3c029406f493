// What one search is about: data, split, settings and its log.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <cstdint>
#include <string>

#include "prepare.h"
#include "report/json.h"
#include "train/search.h"

namespace glgnn::cli {

// The problem points into the dataset: do not copy.
struct SearchTask {
  Dataset dataset;
  Split split;
  Config config;
  Problem problem;
  std::string graph;  // known or unknown
  int64_t run = 0;
  std::string log;

  SearchTask() = default;
  SearchTask(const SearchTask&) = delete;
  SearchTask& operator=(const SearchTask&) = delete;
};

// Reads the data and chooses the split; refuses what cannot be searched. `log` may be empty.
void prepare_search(SearchTask& task, const DataOptions& data, const Config& config,
                    const std::string& log);

// The first line of the log: enough to know whether a later call may go on from it.
Json search_header(const SearchTask& task, const SearchOptions& options, const Context& context);

}  // namespace glgnn::cli
