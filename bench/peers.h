// Fresh processes: our own, whose peak memory is then its own, and the peers' Python.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/result.h"

namespace glgnn::bench {

// The result of run_child(task, folder) in a process of its own; with a note in place of the
// seconds where it failed.
Result run_ours(const Options& options, const std::string& task, const std::string& folder = "");

// What a script of bench/peers answers, or why there is no answer.
struct PeerAnswer {
  Json object;  // empty where there is a note
  std::string note;
};
PeerAnswer run_peer(const Options& options, const std::string& script,
                    const std::vector<std::string>& arguments);

}  // namespace glgnn::bench
