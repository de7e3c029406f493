#include "prepare.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/available_memory.h"
#include "data/data.h"
#include "data/message.h"
#include "ranks.h"
#include "text.h"

namespace glgnn::cli {
namespace {

double checked_fraction(const char* option, double value) {
  if (value >= 0 && value < 1) return value;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: found {}, expected a number from 0 and below 1", option, value));
}

Split shipped_split(const Dataset& dataset, int64_t run) {
  const auto count = static_cast<int64_t>(dataset.splits.size());
  if (run < 0 || run >= count) {
    const std::string known =
        count == 1 ? "only split 0" : fmt::format("splits 0 to {}", count - 1);
    throw Error(ErrorKind::kUsage,
                fmt::format("--run {}: {} has {}{}", run, dataset.name, known,
                            dataset.splits_are_seeds ? "; its runs differ by --seed" : ""));
  }
  return dataset.splits[static_cast<size_t>(run)];
}

// "a,b" -> a and b; "\"width, mm\",b" -> width, mm and b; nothing for an empty text.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  for (size_t start = 0; start < text.size();) {
    const size_t closing = text[start] == '"' ? text.find('"', start + 1) : std::string::npos;
    const bool is_quoted = closing != std::string::npos;
    const size_t end = std::min(text.find(',', is_quoted ? closing : start), text.size());
    items.push_back(is_quoted ? text.substr(start + 1, closing - start - 1)
                              : text.substr(start, end - start));
    start = end + 1;
  }
  return items;
}

}  // namespace

void DataOptions::add_columns_to(CLI::App& app) {
  app.add_option("--label", label, "label column of a table, or the label file of an array")
      ->type_name("COLUMN");
  app.add_option("--id", id, "column that names the rows")->type_name("COLUMN");
  app.add_option("--categorical", categorical, "columns of a table whose values are categories")
      ->type_name("COLUMN,...");
  app.add_option("--numeric", numeric,
                 "columns of a table that hold numbers, whatever they look like")
      ->type_name("COLUMN,...");
  app.add_option("--drop", drop, "columns of a table to leave out")->type_name("COLUMN,...");
  app.add_option("--missing", missing, "a word that means a gap or no label; may be repeated")
      ->type_name("WORD")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--format", format,
                 "csv, tsv, svmlight, npy, npz or mtx, if the name does not say")
      ->type_name("FORMAT");
}

void DataOptions::add_to(CLI::App& app) {
  add_columns_to(app);
  app.add_option("--split", split, "file with the rows of train, val and test")->type_name("FILE");
  app.add_option("--test-fraction", test_fraction, "part of the labelled rows kept for the test")
      ->type_name("PART");
  app.add_option("--val-fraction", val_fraction,
                 "part of the labelled rows left by the test that validates; 0: none, all modules "
                 "count alike (0.2; 0 where classes have a single label)")
      ->type_name("PART");
}

Dataset load_data(const DataOptions& options, bool quiet, int threads) {
  if (options.data == "-" && ranks().count() > 1) {
    throw Error(ErrorKind::kUsage,
                "-: the standard input reaches rank 0 alone; put the data into a file that all "
                "ranks can read");
  }
  ReadingProgress progress(options.data, quiet);
  const bool no_graph = options.graph == "none";
  Dataset dataset =
      load_dataset(options.data, {.label = options.label,
                                  .id = options.id,
                                  .graph = no_graph ? std::string() : options.graph,
                                  .split = options.split,
                                  .categorical = split_list(options.categorical),
                                  .numeric = split_list(options.numeric),
                                  .drop = split_list(options.drop),
                                  .format = options.format,
                                  .missing = options.missing,
                                  .on_progress = [&](double part) { progress.update(part); },
                                  .threads = threads});
  if (no_graph) dataset.has_graph = false;
  return dataset;
}

bool wants_own_graph(const std::string& graph, const Dataset& dataset) {
  if (graph != "known" && graph != "unknown") {
    throw Error(ErrorKind::kUsage,
                "--graph: found " + quote(graph) + ", expected known or unknown");
  }
  if (graph == "known" && !dataset.has_graph) {
    throw Error(ErrorKind::kUsage,
                dataset.name + " comes without a graph; use --graph unknown, which learns one");
  }
  return graph == "known";
}

Split choose_split(const Dataset& dataset, const DataOptions& options, uint64_t seed) {
  if (options.fractions_given() && (options.run || !options.split.empty())) {
    throw Error(ErrorKind::kUsage,
                "a split is either made by --test-fraction and --val-fraction or taken by --split "
                "or --run; keep one of the two");
  }
  if (options.run && dataset.splits.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("--run {}: {} comes without splits; use "
                                               "--test-fraction to make one",
                                               *options.run, dataset.name));
  }
  const bool shipped = !dataset.splits.empty() && !options.fractions_given();
  const Split split = shipped ? shipped_split(dataset, options.run.value_or(0))
                              : split_by_fractions(dataset, options, seed);
  check_split(dataset, split);
  return split;
}

Split split_by_fractions(const Dataset& dataset, const DataOptions& options, uint64_t seed) {
  const double test = checked_fraction("--test-fraction", options.test_fraction.value_or(0));
  if (!options.val_fraction) return split_labels(dataset, test, seed);
  const double val = checked_fraction("--val-fraction", *options.val_fraction);
  return make_split(dataset.labels, dataset.classes(), {.train = 1 - val, .test = test}, seed);
}

void check_memory(int64_t needed, const Config& config) {
  const auto available = available_memory();
  if (!available || needed <= *available) return;
  const std::string help = config.mode == Mode::kBest
                               ? "fewer rows or columns help"
                               : fmt::format(
                                     "smaller --k (now {}), --modules (now {}) or --hidden "
                                     "(now {}) help, so do fewer rows",
                                     config.k, config.modules, config.hidden);
  throw Error(ErrorKind::kData, fmt::format("training needs about {}, and {} are available; {}",
                                            memory_text(needed), memory_text(*available), help));
}

std::vector<int32_t> labelled_rows(const std::vector<int32_t>& labels,
                                   const std::vector<int32_t>& rows) {
  std::vector<int32_t> labelled;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(labelled),
               [&](int32_t row) { return labels[static_cast<size_t>(row)] >= 0; });
  return labelled;
}

namespace {

constexpr auto kBeforeTheFirst = std::chrono::milliseconds(500);
constexpr auto kBetweenRedraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(5);

}  // namespace

ReadingProgress::ReadingProgress(std::string file, bool quiet)
    : file_(std::move(file)),
      quiet_(quiet),
      on_terminal_(is_terminal(stderr)),
      due_(Clock::now() + (on_terminal_ ? Clock::duration(kBeforeTheFirst) : kBetweenLines)) {}

void ReadingProgress::update(double part) {
  const auto now = Clock::now();
  if (quiet_ || now < due_) return;
  due_ = now + (on_terminal_ ? Clock::duration(kBetweenRedraws) : kBetweenLines);
  const std::string line = fmt::format("reading {}  {:.0f} %", file_, 100 * part);
  if (on_terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

ReadingProgress::~ReadingProgress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace glgnn::cli
