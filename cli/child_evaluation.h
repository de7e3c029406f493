// `glgnn evaluate` as a child of this program: its time and its memory are its own, and a failure
// ends nothing but itself.
#pragma once

#include <string>
#include <vector>

namespace glgnn::cli {

struct ChildAnswer {
  int status = 0;
  std::string result;  // the JSON object of `evaluate --json`; empty on failure
  std::string fault;   // its last line, on failure
};

// Runs `evaluate` with these arguments, --json and --quiet.
ChildAnswer ask_evaluate(std::vector<std::string> arguments);

}  // namespace glgnn::cli
