#include "search_task.h"

#include <fmt/format.h>
#include <glgnn/error.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "train/checkpoint.h"

namespace glgnn::cli {

void prepare_search(SearchTask& task, const DataOptions& data, const Config& config,
                    const std::string& log) {
  DataOptions without_graph_file = data;
  without_graph_file.graph.clear();
  task.dataset = load_data(without_graph_file);
  const Dataset& dataset = task.dataset;
  const bool known = wants_own_graph(data.graph, dataset);
  task.graph = data.graph;
  task.run = data.run.value_or(0);
  task.split = choose_split(dataset, data, config.seed);
  if (task.split.val.empty()) {
    throw Error(ErrorKind::kUsage, dataset.name +
                                       ": the split has no validation rows to choose by; add some "
                                       "to it, or make a split with --val-fraction");
  }
  task.config = resolve_settings(config, dataset);
  task.problem = make_problem(dataset, dataset.features, task.split, known);
  task.log =
      log.empty() ? std::filesystem::path(dataset.name).filename().string() + ".search.jsonl" : log;
  check_memory(estimate_search_memory(task.problem, task.config), task.config);
}

Json search_header(const SearchTask& task, const SearchOptions& options, const Context& context) {
  Json header = {{"event", "start"}, {"command", "search"}, {"time", utc_time()}};
  header.update(program_json(context.threads));
  header["dataset"] = task.dataset.name;
  header["graph"] = task.graph;
  header["run"] = task.run;
  header["trials"] = options.trials;
  header["halving"] = options.halving;
  header["data"] = data_json(task.dataset, task.split);
  header["settings"] = settings_json(task.config);
  header["fingerprint"] = fmt::format("{:016x}", fingerprint(task.problem));
  return header;
}

}  // namespace glgnn::cli
