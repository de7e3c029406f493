// The processes of this run, as the commands see them. Only rank 0 speaks and writes files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dist/ranks.h"

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

}  // namespace glgnn::cli
