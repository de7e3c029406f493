#include <fmt/core.h>
#include <glgnn/error.h>

#include <bit>
#include <fstream>

#include "bench/bench.h"
#include "data/data.h"
#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "report/machine.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kNeighbours = 10;

struct Chosen {
  explicit Chosen(int64_t n)
      : col(static_cast<size_t>(n * kNeighbours)), count(static_cast<size_t>(n)) {}
  std::vector<int32_t> col;
  std::vector<int64_t> count;
};

void choose(Chosen& chosen, const Features& unit_rows, int threads) {
  const ChooseOptions options{.k = kNeighbours};
  if (!unit_rows.is_sparse) {
    return cpu::graph_learn_choose(chosen.col.data(), chosen.count.data(), nullptr,
                                   ZDense<float>{unit_rows.dense.view()}, {}, options, threads);
  }
  const Csr& x = unit_rows.sparse;
  const Transpose by_column = transpose(x.pattern->view());
  cpu::graph_learn_choose(chosen.col.data(), chosen.count.data(), nullptr,
                          ZSparse<float>{x.pattern->view(), x.values.data(),
                                         by_column.pattern.view(), by_column.source.data()},
                          {}, options, threads);
}

// A .npy file of a matrix (numpy.lib.format, version 1.0).
template <class T>
void write_npy(const std::string& path, const char* type, const T* numbers, int64_t rows,
               int64_t cols) {
  static_assert(std::endian::native == std::endian::little);
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 type, rows, cols);
  constexpr size_t kBefore = 10, kStep = 64;
  head.append(kStep - (kBefore + head.size() + 1) % kStep, ' ').push_back('\n');
  const auto size = static_cast<uint16_t>(head.size());
  std::ofstream out(path, std::ios::binary);
  out << "\x93NUMPY\x01" << '\0' << static_cast<char>(size & 0xff) << static_cast<char>(size >> 8)
      << head;
  out.write(reinterpret_cast<const char*>(numbers),
            static_cast<std::streamsize>(sizeof(T)) * rows * cols);
  if (!out.flush()) throw Error(ErrorKind::kIo, path + ": cannot be written");
}

std::string source_of(const std::string& dataset, const Options& options) {
  return dataset == "mnist" ? options.mnist : dataset;
}

void add_peer(Result& result, const std::string& folder, const Options& options) {
  options.say(result.name + " by " + result.peer);
  const PeerAnswer answer =
      run_peer(options, "nearest_rows.py",
               {folder, "--peer", result.peer, "--k", std::to_string(kNeighbours), "--threads",
                std::to_string(options.threads)});
  result.note = answer.note;
  if (!answer.note.empty()) return;
  const Json& peer = answer.object;
  result.peer_seconds = peer.at("seconds").get<double>();
  result.peer_peak_mb = peer.at("peak_mb").get<double>();
  result.extra["peer_version"] = peer.at("version");
  result.extra["peer_blas"] = peer.at("blas");
  result.extra["recall"] = peer.at("recall");  // of the peer's choice in ours
}

}  // namespace

Json child_graph(const std::string& name, const std::string& folder, const Options& options) {
  Dataset dataset = load_dataset(source_of(name, options));
  Features& rows = dataset.features;
  if (!rows.is_sparse) scale_features(rows, Scaling::kStandard);
  scale_features(rows, Scaling::kRowUnit);
  Chosen chosen(rows.rows());
  const double budget = options.quick ? 0.0 : 2.0;
  reset_peak();
  const double seconds = shortest_seconds(budget, [&] { choose(chosen, rows, options.threads); });
  const double peak = peak_memory_mb();
  Json extra = {
      {"n", rows.rows()}, {"d", rows.cols()}, {"k", kNeighbours}, {"sparse", rows.is_sparse}};
  if (rows.is_sparse) {
    make_dense(rows);
    extra["seconds_dense"] =
        shortest_seconds(budget, [&] { choose(chosen, rows, options.threads); });
  }
  write_npy(folder + "/rows.npy", "<f4", rows.dense.data(), rows.rows(), rows.cols());
  write_npy(folder + "/chosen.npy", "<i4", chosen.col.data(), rows.rows(), kNeighbours);
  return {{"seconds", seconds}, {"peak_mb", peak}, {"extra", std::move(extra)}};
}

std::vector<Result> measure_graphs(const Options& options) {
  std::vector<std::string> datasets{"digits", "20news"};
  if (!options.mnist.empty()) datasets.emplace_back("mnist");
  std::vector<Result> results;
  for (const auto& dataset : datasets) {
    const TemporaryFolder folder;
    const Result ours = run_ours(options, "graph/" + dataset, folder.path());
    for (const char* peer : {"faiss", "sklearn", "hnswlib"}) {
      Result result = ours;
      result.peer = peer;
      if (result.seconds) add_peer(result, folder.path(), options);
      results.push_back(std::move(result));
    }
  }
  return results;
}

}  // namespace glgnn::bench
