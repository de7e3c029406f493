// glgnn fit --rows-over-ranks: paper mode on rows that ranks own.
#include <fmt/core.h>
#include <glgnn/data.h>
#include <glgnn/error.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/over_ranks.h"
#include "core/archive.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/text_rows.h"
#include "describe.h"
#include "output_files.h"
#include "progress.h"
#include "ranks.h"
#include "report/json.h"
#include "report/machine.h"
#include "start.h"
#include "text.h"
#include "train/edges_over_ranks.h"
#include "train/trainers.h"

namespace glgnn::cli {
namespace {

void check(const FitRows& asked) {
  const auto refuse = [](const std::string& text) { throw Error(ErrorKind::kUsage, text); };
  const DataOptions& data = asked.data;
  const bool has_own = is_svmlight(data.data);
  if (data.label.empty() && !has_own) {
    refuse(
        "--rows-over-ranks: found no --label, expected the label column of a table, or a file "
        "of labels");
  }
  if (!data.label.empty() && has_own) {
    refuse("--rows-over-ranks: found --label, expected none: svmlight rows begin with their label");
  }
  if (asked.probabilities.empty()) {
    refuse("--rows-over-ranks: found no --probabilities, expected a file to write");
  }
  if (asked.config.mode == Mode::kBest) {
    refuse(
        "--rows-over-ranks: found mode best, which is not built for rows that ranks own, expected "
        "mode paper; add --mode paper, or spread the labels over the nearest rows (glgnn nearest "
        "--labels --probabilities), or leave out --rows-over-ranks: then each rank holds all rows, "
        "and the ranks share the modules");
  }
  for (const std::string& input : {data.data, data.label, data.graph}) {
    refuse_to_overwrite(asked.probabilities, input,
                        "the result would overwrite what is read; choose another file");
  }
}

// Of the files that are given besides.
uint64_t hash_of_file(const std::string& path, uint64_t before) {
  if (path.empty() || !std::filesystem::is_regular_file(path)) return before;
  const uint64_t sum = FileParts(path).sample_hash();
  return fnv1a(&sum, sizeof sum, before);
}

Facts facts_of(const FitRows& asked, const SharedFile& file) {
  uint64_t hash = file.sample_hash();
  for (const auto& path : {asked.data.label, asked.data.split, asked.data.graph}) {
    hash = hash_of_file(path, hash);
  }
  Json words = settings_json(asked.config);
  words["label"] = asked.data.label;
  words["graph"] = asked.data.graph;
  words["resume"] = asked.resume;
  words["split"] = {asked.data.split, asked.data.test_fraction.value_or(-1),
                    asked.data.val_fraction.value_or(-1)};
  return facts_of_run(hash, json_text(words));
}

// Every rank reads the given graph, and keeps the edges of own rows and of their neighbours. Gives
// how many edges there are in all.
int64_t keep_near_edges(Dataset& dataset, const std::string& graph, const RowRange& own) {
  if (graph.empty() || graph == "none") return 0;
  read_graph(dataset, graph);
  const int64_t edges = dataset.graph.nnz() / 2;
  dataset.graph = near_rows(dataset.graph, own);
  return edges;
}

// How many of own rows are right, of those whose label is known; of all ranks.
std::pair<double, double> right_of(const Matrix& own, const RowRange& range,
                                   const std::vector<int32_t>& labels,
                                   const std::vector<int32_t>& rows, Ranks& all) {
  const std::vector<int32_t> classes = predicted_classes(own);
  double right = 0, known = 0;
  for (const int32_t row : rows) {
    if (row < range.begin || row >= range.end || labels[row] < 0) continue;
    ++known;
    right += classes[row - range.begin] == labels[row];
  }
  const auto sums = sum_over_ranks(std::vector{right, known}, all);
  return {sums[0], sums[1]};
}

}  // namespace

int fit_rows(const FitRows& asked) {
  check(asked);
  const auto say = [&](const std::string& text) {
    if (!asked.quiet && ranks().leads()) fmt::print("{}\n", text);
  };
  const bool in_file = is_label_file(asked.data.label);
  SharedFile file(asked.data.data, is_svmlight(asked.data.data) ? "label"
                                   : in_file                    ? ""
                                                                : asked.data.label);
  Ranks& all = ranks();
  require_same_on_all_ranks(facts_of(asked, file));

  const std::string checkpoint = asked.probabilities + ".checkpoint";
  if (all.leads()) check_checkpoint(checkpoint, asked.resume, asked.restart);
  name_checkpoint(checkpoint);
  file.count_rows(all);
  const RowRange range = rows_of_rank(file.rows(), all.count(), all.self());
  Features own;
  own.dense = file.read_own(all);
  Dataset dataset = labels_of_rows(
      asked.data.data, file.rows(), file.cols(), file.labels(),
      {.label = asked.data.label, .split = asked.data.split, .missing = asked.data.missing});
  const int64_t edges = keep_near_edges(dataset, asked.data.graph, range);
  const Split split = choose_split(dataset, asked.data, asked.config.seed);
  Config config = asked.config;
  if (is_svmlight(asked.data.data) && config.scaling == Scaling::kAuto) {
    config.scaling = Scaling::kRowUnit;  // words, for the most part
  }
  config.scaling = prepare_own_rows(own, file.rows(), config.scaling, all);
  config = resolve_settings(config, dataset, split);
  Problem problem = make_problem(dataset, own, split, dataset.has_graph);
  check_paper_over_ranks(problem, config, file.rows(), all);
  say(fmt::format("{}, {}, {}", data_sentence(dataset, config), split_sentence(split),
                  edges > 0 ? "graph of " + counted(edges, "edge") : "no graph"));
  say(fmt::format("mode paper, {} (rank 0 owns {}), {} of the columns differ, k {}, {}, seed {}",
                  counted(all.count(), "rank"), counted(range.size(), "row"), own.cols(), config.k,
                  counted(config.epochs, "epoch"), config.seed));

  const InterruptGuard interrupt;
  Progress progress(config.epochs, asked.quiet || !all.leads());
  TrainingProgress shown(problem, config, asked.context.threads);
  const auto on_epoch = [&](const EpochReport& report) {
    progress.update(shown.state_after(report));
    return !interrupt.interrupted();
  };
  const OwnResult result = fit_paper_over_ranks(
      problem, file.rows(), config, asked.context,
      {.on_epoch = on_epoch, .checkpoint = checkpoint, .resume = asked.resume}, all);
  progress.finish();
  if (result.interrupted) {
    say(fmt::format("stopped; {} holds the state: --resume goes on", checkpoint));
    return all.leads() ? interrupt.exit_status() : 0;
  }
  const Matrix& p = result.probabilities;
  const std::string_view bytes(reinterpret_cast<const char*>(p.data()),
                               static_cast<size_t>(p.size()) * sizeof(float));
  write_rows(asked.probabilities, "<f4", bytes, file.rows(), p.cols(), all);
  if (all.leads()) std::filesystem::remove(checkpoint);
  const auto [right, known] = right_of(p, range, dataset.labels, split.test, all);
  if (known > 0)
    say(fmt::format("test accuracy {} ({} of {})", percent(right / known), right, known));
  if (result.estimate.rows > 0) {
    say(fmt::format("expected accuracy {} ({} to {}), judged by rows that did not choose the epoch",
                    percent(result.estimate.accuracy), percent(result.estimate.low),
                    percent(result.estimate.high)));
  }
  say(fmt::format("epoch {} of {}; {:.0f} MB on rank 0; wrote {}", result.best_epoch, config.epochs,
                  peak_memory_mb(), asked.probabilities));
  return 0;
}

}  // namespace glgnn::cli
