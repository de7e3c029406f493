// glgnn-bench: kernels, training epochs, graph building and scaling, each beside its limit or a
// peer in the same run with the same threads.
#pragma once

#include <glgnn/context.h>

#include <functional>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn::bench {

struct Options {
  std::string only;  // "kernels", "epochs", "graphs" or "scaling"; empty: all
  int threads = 1;
  std::string device = "auto";  // of epochs and scaling
  Context context() const { return {threads, device_named(device)}; }
  bool quick = false;                       // small sizes and few repeats: to see that it works
  std::string python = "/usr/bin/python3";  // runs the peers; "none": they are left out
  std::string mnist{};                      // folder of a large set for graph building
  std::function<void(const std::string&)> say = [](const std::string&) {};  // what is measured now
};

// The parts that `only` may name.
const std::vector<std::string>& parts();

// machine, commit, flags, threads, results; with the scaling part also its fitted exponents.
Json run_all(const Options& options);

// What one fresh process measures, so that its peak memory is its own: "epoch/cora",
// "scaling/4096", or "graph/digits", which leaves what it compared and chose in `folder`.
Json run_child(const std::string& task, const std::string& folder, const Options& options);

}  // namespace glgnn::bench
