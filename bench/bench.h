// glgnn-bench: kernels, training epochs, graph building and scaling, each beside its limit or a
// peer in the same run with the same threads.
#pragma once

#include <glgnn/context.h>
#include <glgnn/trainer.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn::bench {

struct Options {
  std::string only;  // "kernels", "epochs", "graphs", "scaling" or "complexity"; empty: all
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

// One line of the report.

struct Result {
  std::string name;
  std::optional<double> seconds{}, peak_mb{};
  std::string peer{};  // empty: there is nothing to compare with
  std::optional<double> peer_seconds{}, peer_peak_mb{};
  std::string note{};           // why a number is missing
  Json extra = Json::object();  // gflops, gbs, n, d, k, recall ...
};

// ratio is peer_seconds / seconds: above 1 we are faster.
inline Json result_json(const Result& result) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  std::optional<double> ratio;
  if (result.seconds && result.peer_seconds) ratio = *result.peer_seconds / *result.seconds;
  Json object = {{"name", result.name},
                 {"seconds", number(result.seconds)},
                 {"peer", result.peer.empty() ? Json(nullptr) : Json(result.peer)},
                 {"peer_seconds", number(result.peer_seconds)},
                 {"ratio", number(ratio)},
                 {"peak_mb", number(result.peak_mb)},
                 {"peer_peak_mb", number(result.peer_peak_mb)}};
  object.update(result.extra);
  if (!result.note.empty()) object["note"] = result.note;
  return object;
}

// Clocks and memory.

// The shortest of as many runs as fit into `budget` seconds, two at least.
double shortest_seconds(double budget, const std::function<void()>& work);

// Cores' worth of work that the rest of the machine does while this process sleeps so long; nothing
// where /proc does not say. Other work stalls every parallel loop: times are then too long.
std::optional<double> others_busy_cores(double seconds);

double median(std::vector<double> values);

// From now on peak_memory_mb() (report/machine.h) is that since this call. False where the kernel
// cannot.
bool reset_peak();

// The slope of log y over log x, by least squares.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

// Other programs, and folders for what passes between them and us.

struct Ended {
  int status = 0;  // 128 + the signal's number when a signal ended it
  std::string out, err;

  std::string last_error_line() const;
};

// Runs to the end; `environment` holds "NAME=value" to set and "NAME" to take away. kIo when the
// program cannot be started.
Ended run_process(const std::vector<std::string>& command,
                  const std::vector<std::string>& environment = {});

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Fresh processes: our own, whose peak memory is then its own, and the peers' Python.

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

// What this machine can do at best, measured in the same run: bare BLAS products and a stream copy.
// All on `threads` threads, each with its own rows; seconds of the shortest run.

struct Repeats {
  int threads;
  double budget;  // seconds
};

// c = a b, a m x k and b k x n: one sgemm for each thread.
double sgemm_seconds(int64_t m, int64_t n, int64_t k, Repeats repeats);

// One product of graph learning, as bare sgemm: as one large product whose N x N matrix lies in the
// memory, and in tiles that stay in the cache. The limit is the faster.
struct ProductLimit {
  double large, tiles;
  double seconds() const { return std::min(large, tiles); }
};
// S = z z^T, z n x d.
ProductLimit similarity_limit(int64_t n, int64_t d, Repeats repeats);
// d_z = w z, w n x n.
ProductLimit gradient_limit(int64_t n, int64_t d, Repeats repeats);

// Bytes a second, read and written, of copying so many numbers.
double copy_rate(int64_t numbers, Repeats repeats);

// Part (a): every kernel beside the limit of its kind: bare sgemm of the same products for those
// that compute, a stream copy of the same bytes for those that move.
std::vector<Result> measure_kernels(const Options& options);

// The part "graphs" of glgnn-bench: building the exact graph of the k most similar rows alone,
// beside faiss's exact search, scikit-learn and hnswlib on the same numbers.
std::vector<Result> measure_graphs(const Options& options);
// Leaves rows.npy (N x F, unit rows) and chosen.npy (N x k) in `folder` for the peers.
Json child_graph(const std::string& dataset, const std::string& folder, const Options& options);

// Parts (b) and (d): training epochs, beside PyTorch on shipped sets and alone on growing ones.

std::vector<Result> measure_epochs(const Options& options);
Json child_epoch(const std::string& dataset, const Options& options);

// A whole training whose neighbours are chosen anew every tenth epoch only.
Json child_refresh(const std::string& dataset, const Options& options);

std::vector<Result> measure_scaling(const Options& options);
Json child_scaling(int64_t rows, const Options& options);
// {"seconds": ..., "peak_mb": ...} over all sizes and over the larger half.
Json scaling_exponents(const std::vector<Result>& results);

// Processor time of paper mode over the rows N, the modules M and the epochs T, with the exponents
// of each; the paper says O(M T (N^2 + N)).
Json measure_complexity(const Options& options);

// The epochs of one training, timed in this process.

struct EpochPlan {
  Context context;
  int64_t least = 2;   // epochs, after the first, which warms up and has no hop graph yet
  double seconds = 0;  // and more until so long has passed
};

// {"seconds": median, "peak_mb": ..., "extra": ...}; `dataset` is scaled in place, its graph
// unused.
Json time_epochs(Dataset& dataset, Config config, const EpochPlan& plan);

// {"seconds": of the whole training, "peak_mb": ..., "extra": ...}.
Json time_training(Dataset& dataset, Config config, const Context& context);

}  // namespace glgnn::bench
