#include "bench/bench.h"

#include <glgnn/error.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/machine.h"

namespace glgnn::bench {
namespace {

// How to repeat it; folders and the Python are each machine's own.
std::string command_line(const Options& options) {
  std::string command = "glgnn-bench --json --threads " + std::to_string(options.threads);
  if (options.device != "auto") command += " --device " + options.device;
  if (!options.only.empty()) command += " --only " + options.only;
  if (options.quick) command += " --quick";
  if (!options.mnist.empty()) command += " --mnist DIR";
  return command;
}

}  // namespace

const std::vector<std::string>& parts() {
  static const std::vector<std::string> all{"kernels", "epochs", "graphs", "scaling", "complexity"};
  return all;
}

Json run_all(const Options& options) {
  Json report = {{"glgnn", version()},
                 {"commit", commit()},
                 {"time", utc_time()},
                 {"command", command_line(options)},
                 {"machine", cpu_name()},
                 {"threads", options.threads},
                 {"quick", options.quick},
                 {"flags",
                  {{"build_type", GLGNN_BUILD_TYPE},
                   {"compiler", GLGNN_COMPILER},
                   {"options", GLGNN_FLAGS},
                   {"simd", simd_target()},
                   {"blas", blas_name()}}}};
  const double look = options.quick ? 0.1 : 2.0;  // seconds
  const auto busy_before = others_busy_cores(look);
  Json list = Json::array();
  const auto wanted = [&](const char* part) {
    return options.only.empty() || options.only == part;
  };
  const auto add = [&](const std::vector<Result>& results) {
    for (const auto& result : results) list.push_back(result_json(result));
  };
  if (wanted("kernels")) add(measure_kernels(options));
  if (wanted("epochs")) add(measure_epochs(options));
  if (wanted("graphs")) add(measure_graphs(options));
  if (wanted("scaling")) {
    const auto results = measure_scaling(options);
    add(results);
    report["scaling"] = scaling_exponents(results);
  }
  if (wanted("complexity")) report["complexity"] = measure_complexity(options);
  const auto busy_after = others_busy_cores(look);
  report["others_busy_cores"] =
      busy_before && busy_after ? Json(std::max(*busy_before, *busy_after)) : Json(nullptr);
  report["results"] = std::move(list);
  return report;
}

Json run_child(const std::string& task, const std::string& folder, const Options& options) {
  const size_t slash = task.find('/');
  const std::string part = task.substr(0, slash);
  const std::string what = slash == std::string::npos ? "" : task.substr(slash + 1);
  if (part == "epoch") return child_epoch(what, options);
  if (part == "refresh") return child_refresh(what, options);
  if (part == "graph" && !folder.empty()) return child_graph(what, folder, options);
  if (part == "scaling" && what.find_first_not_of("0123456789") == std::string::npos) {
    return child_scaling(std::stoll("0" + what), options);
  }
  throw Error(ErrorKind::kUsage,
              "--child: found \"" + task +
                  "\", expected epoch/DATASET, refresh/DATASET, scaling/ROWS, or graph/DATASET "
                  "with --folder");
}

}  // namespace glgnn::bench
