// The processes of this run, as the commands see them. Only rank 0 speaks and writes files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dist/ranks.h"
#include "prepare.h"

namespace glgnn::cli {

// Runs the program on this rank; gives the exit status of the whole run.
int run_on_ranks(const std::function<int()>& program);

// One process alone before run_on_ranks().
Ranks& ranks();

// What all ranks must agree in before they share work: "program" -> "glgnn 0.2.0 (1234567)", ...
using Facts = std::vector<std::pair<std::string, std::string>>;

// The program, the sum of what was read, and what was asked.
Facts facts_of_run(uint64_t data, const std::string& asked);

// Every rank of a command that shares its work calls it once, before the work. kUsage where one
// differs or has failed, by its name; ranks other than 0 then end in silence.
void require_same_on_all_ranks(const Facts& facts);

// A file that a run keeps its state in as it goes: where a rank is lost, it is named.
void name_checkpoint(const std::string& path);

// An array of `rows` rows of `wide` numbers of four bytes, each rank having the bytes of its own
// rows: rank 0 writes the file as they come, in pieces, and never has all of it. No path: nothing.
void write_rows(const std::string& path, const char* type, std::string_view bytes, int64_t rows,
                int64_t wide, Ranks& all);

// fit --rows-over-ranks: no rank reads or holds all rows of the array. (fit_rows.cpp)
struct FitRows {
  const DataOptions& data;
  Config config;
  Context context;
  std::string probabilities;  // file to write; the checkpoint goes beside it
  bool quiet = false, resume = false, restart = false;
};
int fit_rows(const FitRows& asked);

}  // namespace glgnn::cli
