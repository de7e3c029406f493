// glgnn nearest: the exact nearest rows of every row, over any number of processes.
#include <fmt/core.h>
#include <glgnn/data.h>
#include <glgnn/error.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/over_ranks.h"
#include "commands.h"
#include "core/clock.h"
#include "data/message.h"
#include "data/npz.h"
#include "output_files.h"
#include "ranks.h"
#include "report/json.h"
#include "report/machine.h"
#include "threads.h"
#include "train/rows_over_ranks.h"

namespace glgnn::cli {
namespace {

constexpr int64_t kMostNeighbours = 1000;

struct NearestCommand {
  std::string file, metric = "euclidean", out, distances, labels, probabilities;
  int64_t k = 10;
  bool json = false, quiet = false;
  ThreadOption threads;

  int run() const;

 private:
  bool by_distance() const { return metric == "euclidean"; }
  void check() const;
  std::vector<float> shown(std::vector<float> t) const;
  void say(const SharedFile& rows, const std::vector<std::string>& of_ranks, double seconds) const;
};

void NearestCommand::check() const {
  if (metric != "euclidean" && metric != "cosine") {
    throw Error(ErrorKind::kUsage,
                fmt::format("--metric: found {}, expected euclidean or cosine", quote(metric)));
  }
  if (k < 1 || k > kMostNeighbours) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--k: found {}, expected 1 to {} rows nearest to each", k, kMostNeighbours));
  }
  if (labels.empty() != probabilities.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("found {} alone, expected --labels and --probabilities together",
                            labels.empty() ? "--probabilities" : "--labels"));
  }
  if (!out.empty() && out == distances) {
    throw Error(ErrorKind::kUsage,
                "--out and --distances name one file, expected two; choose another name for one");
  }
  for (const std::string& to : {out, distances, probabilities}) {
    if (to.empty()) continue;
    refuse_to_overwrite(to, file, "a result would overwrite the rows; choose another file");
  }
}

// The class of every row, -1 where it is not known.
std::vector<int64_t> read_labels(const std::string& path, int64_t rows) {
  if (path.empty()) return {};
  const NpyArray array = read_npy(path);
  std::vector<int64_t> labels = to_integers(array);
  constexpr int64_t kMostClasses = 10000;
  const auto largest = std::max_element(labels.begin(), labels.end());
  if (array.shape.size() != 1 || array.shape[0] != rows) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: found shape {}, expected ({},): a class for each row, -1 where it "
                            "is not known",
                            path, array.shape_text(), rows));
  }
  if (*largest < 0 || *largest >= kMostClasses) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: found {} as the largest class, expected 0 to {}; number the "
                            "classes from 0",
                            path, *largest, kMostClasses - 1));
  }
  return labels;
}

// Distances, or cosines.
std::vector<float> NearestCommand::shown(std::vector<float> t) const {
  for (float& at : t) at = by_distance() ? std::sqrt(std::max(0.0f, -2 * at)) : at;
  return t;
}

uint64_t hash_of_file(const std::string& path) {
  return path.empty() ? 0 : FileParts(path).sample_hash();
}

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void NearestCommand::say(const SharedFile& rows, const std::vector<std::string>& of_ranks,
                         double seconds) const {
  if (json) {
    Json list = Json::array();
    for (const std::string& text : of_ranks) list.push_back(Json::parse(text));
    fmt::print("{}\n", json_text({{"rows", rows.rows()},
                                  {"columns", rows.cols()},
                                  {"k", std::min(k, rows.rows() - 1)},
                                  {"metric", metric},
                                  {"seconds", seconds},
                                  {"ranks", list}}));
  } else if (!quiet) {
    fmt::print("{} rows of {}: the {} nearest of each by {} in {:.2f} s, {}\n", rows.rows(),
               rows.cols(), std::min(k, rows.rows() - 1), by_distance() ? "distance" : "cosine",
               seconds, counted(static_cast<int64_t>(of_ranks.size()), "rank"));
  }
}

int NearestCommand::run() const {
  check();
  const Context context = threads.context();
  SharedFile rows(file);
  Ranks& all = ranks();
  require_same_on_all_ranks(
      facts_of_run(rows.sample_hash(), json_text({{"k", k},
                                                  {"metric", metric},
                                                  {"out", !out.empty()},
                                                  {"distances", !distances.empty()},
                                                  {"labels", hash_of_file(labels)}})));
  rows.count_rows(all);
  if (rows.rows() < 2) {
    throw Error(ErrorKind::kData, file +
                                      ": found 1 row, expected at least 2; a row alone has no "
                                      "neighbours");
  }
  if (rows.rows() > INT32_MAX) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: found {} rows, expected at most {}; take a part of them", file,
                            rows.rows(), INT32_MAX));
  }
  const std::vector<int64_t> classes = read_labels(labels, rows.rows());
  const RowRange range = rows_of_rank(rows.rows(), all.count(), all.self());
  Features own;
  own.dense = rows.read_own(all);
  if (!by_distance()) scale_features(own, Scaling::kRowUnit);
  const auto start = Clock::now();
  const double before = processor_seconds();
  const ApartOptions options{
      .k = k, .all_rows = rows.rows(), .by_distance = by_distance(), .wants_lse = false};
  const OwnNeighbours found =
      choose_over_ranks(std::as_const(own.dense).view(), options, context.threads, all);
  const auto of_ranks = all.gather(json_text({{"rows", range.size()},
                                              {"processor_seconds", processor_seconds() - before},
                                              {"seconds", seconds_since(start)},
                                              {"seconds_waited", found.costs.seconds_waited},
                                              {"bytes_of_rows", found.costs.bytes_of_rows},
                                              {"bytes_of_found", found.costs.bytes_of_found},
                                              {"peak_memory_mb", peak_memory_mb()}}));
  const double seconds = seconds_since(start);
  write_rows(out, "<i4", bytes_of(found.col), rows.rows(), found.wide, all);
  write_rows(distances, "<f4", bytes_of(shown(found.t)), rows.rows(), found.wide, all);
  if (!classes.empty()) {
    GraphOverRanks graph(found, rows.rows(), all);
    const Matrix p = graph.spread_labels(classes, context.threads);
    const std::string_view bytes(reinterpret_cast<const char*>(p.data()),
                                 static_cast<size_t>(p.size()) * sizeof(float));
    write_rows(probabilities, "<f4", bytes, rows.rows(), p.cols(), all);
  }
  if (all.leads()) say(rows, of_ranks, seconds);
  return 0;
}

}  // namespace

Command add_nearest(CLI::App& program) {
  const auto command = std::make_shared<NearestCommand>();
  CLI::App* app =
      program.add_subcommand("nearest", "the exact nearest rows of every row of an array");
  app->add_option("FILE", command->file,
                  "a matrix in a .npy file, or a table of numbers (csv, tsv)")
      ->type_name("");
  app->add_option("--k", command->k, "how many of each row (10)")->type_name("K");
  app->add_option("--metric", command->metric, "by distance, or by the angle between rows")
      ->type_name("euclidean|cosine");
  app->add_option("--out", command->out, "numbers of the nearest rows, the nearest first: N x K")
      ->type_name("FILE.npy");
  app->add_option("--distances", command->distances, "their distances, or cosines: N x K")
      ->type_name("FILE.npy");
  app->add_option("--labels", command->labels, "a class for each row, -1 where it is not known")
      ->type_name("FILE.npy");
  app->add_option("--probabilities", command->probabilities,
                  "what the labels say of every row, spread over the graph: N x classes")
      ->type_name("FILE.npy");
  app->add_flag("--json", command->json, "one JSON object: time, memory and traffic of each rank");
  app->add_flag("--quiet", command->quiet, "print errors only");
  command->threads.add_to(*app);
  return {app,
          [command, app] {
            require_argument(*app, "FILE", command->file);
            return command->run();
          },
          true};
}

}  // namespace glgnn::cli
