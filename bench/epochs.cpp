#include <fmt/core.h>

#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/training.h"
#include "bench/training_run.h"
#include "core/available_memory.h"
#include "data/data.h"

namespace glgnn::bench {
namespace {

const char* const kDatasets[] = {"digits", "cora", "citeseer", "20news"};

// What the peer held on 20news, in matrices of N x N floats; three modules.
constexpr double kPeerMatrices = 60;

// Empty where the peer's matrices fit into the memory.
std::string too_large(double rows) {
  const double needed = kPeerMatrices * rows * rows * sizeof(float);
  const auto available = available_memory();
  if (!available || needed <= static_cast<double>(*available)) return "";
  return fmt::format("not run: the peer needs about {:.1f} GB, {:.1f} GB are available",
                     1e-9 * needed, 1e-9 * static_cast<double>(*available));
}

void add_peer(Result& result, const std::string& dataset, const Options& options) {
  const auto rows = result.extra.at("n").get<double>();
  result.note = too_large(rows);
  if (!result.note.empty()) return;
  constexpr double kManyRows = 5000;  // an epoch takes minutes
  if (rows > kManyRows && options.quick) {
    result.note = "the peer is left out by --quick";
    return;
  }
  const int epochs = rows > kManyRows || options.quick ? 1 : 5;
  options.say("epoch/" + dataset + " by PyTorch");
  const PeerAnswer answer = run_peer(
      options, "torch_epoch.py",
      {(shipped_folder() / dataset).string(), "--k",
       std::to_string(result.extra.at("k").get<int>()), "--modules",
       std::to_string(result.extra.at("modules").get<int>()), "--epochs", std::to_string(epochs),
       "--threads", std::to_string(options.threads), "--no-graph", "--json"});
  result.note = answer.note;
  if (!answer.note.empty()) return;
  const Json& peer = answer.object;
  result.peer_seconds =
      peer.at("train_seconds_median").get<double>() + peer.at("eval_seconds_median").get<double>();
  result.peer_peak_mb = peer.at("peak_mb").get<double>();
  result.extra["peer_epochs"] = epochs;
  result.extra["peer_version"] = peer.at("torch");
  result.extra["peer_blas"] = peer.at("blas");
  result.extra["others_busy_cores"] = peer.at("others_busy_cores");
}

}  // namespace

Json child_epoch(const std::string& name, const Options& options) {
  Dataset dataset = load_dataset(name);
  return time_epochs(dataset, Config{},
                     {.context = options.context(),
                      .least = options.quick ? 2 : 5,
                      .seconds = options.quick ? 0.0 : 5.0});
}

Json child_refresh(const std::string& name, const Options& options) {
  Dataset dataset = load_dataset(name);
  Config config;
  config.epochs = options.quick ? 20 : 200;
  config.refresh = 10;
  config.softmax_over = SoftmaxOver::kKept;
  return time_training(dataset, config, options.context());
}

std::vector<Result> measure_epochs(const Options& options) {
  std::vector<Result> results;
  for (const std::string dataset : kDatasets) {
    Result result = run_ours(options, "epoch/" + dataset);
    result.peer = "torch";
    if (result.seconds) add_peer(result, dataset, options);
    if (result.peak_mb && result.peer_peak_mb) {
      result.extra["memory_ratio"] = *result.peer_peak_mb / *result.peak_mb;
    }
    results.push_back(std::move(result));
  }
  for (const char* dataset : {"cora", "20news"}) {
    results.push_back(run_ours(options, std::string("refresh/") + dataset));
  }
  return results;
}

}  // namespace glgnn::bench
