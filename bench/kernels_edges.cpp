// Kernels on the pairs of a graph. Bytes are those each kernel must read and write if nothing stays
// in a cache, so that more than a stream copy's rate is possible.
#include "bench/kernel_bench.h"
#include "kernels/edge_dot.h"
#include "kernels/hops.h"
#include "kernels/spmm.h"
#include "kernels/transpose.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kNeighbours = 10, kFeatures = 64, kHidden = 32, kHops = 2;

}  // namespace

void measure_edges(KernelBench& bench) {
  const int64_t n = bench.rows();
  const int threads = bench.threads();
  const Matrix z = random_unit_rows(n, kFeatures, 2), x = random_matrix(n, kHidden, 3);
  const Pattern graph = nearest_rows(z, kNeighbours, threads);
  const PatternView pattern = graph.view();
  const Transpose transposed = transpose(pattern);
  const ZDense<float> rows{z.view()};
  std::vector<float> values(graph.col.size(), 0.1f), out(graph.col.size());

  const auto nnz = static_cast<double>(graph.nnz()), all = static_cast<double>(n);
  const double pair = sizeof(float) + sizeof(int32_t);
  const double row_z = kFeatures * sizeof(float), row_x = kHidden * sizeof(float);
  const Json of_z = {{"n", n}, {"d", kFeatures}, {"k", kNeighbours}};
  const Json of_x = {{"n", n}, {"d", kHidden}, {"k", kNeighbours}};

  bench.movement("edge_dot", nnz * (pair + row_z) + all * row_z, of_z,
                 [&] { cpu::edge_dot_forward(out.data(), pattern, rows, threads); });
  Matrix d_z(n, kFeatures);
  bench.movement("edge_dot_backward", 2 * (nnz * (pair + row_z) + all * row_z), of_z, [&] {
    cpu::edge_dot_backward(d_z.view(), values.data(), pattern, transposed.view(), rows, threads);
  });
  Matrix y(n, kHidden);
  const double spmm_bytes = nnz * (pair + row_x) + all * row_x;
  bench.movement("spmm", spmm_bytes, of_x,
                 [&] { cpu::spmm_forward(y.view(), pattern, values.data(), x.view(), threads); });
  bench.movement("spmm_backward_values", spmm_bytes, of_x, [&] {
    cpu::spmm_backward_values(out.data(), pattern, y.view(), x.view(), threads);
  });
  bench.movement("spmm_backward_x", spmm_bytes, of_x, [&] {
    cpu::spmm_backward_x(y.view(), transposed.view(), values.data(), x.view(), threads);
  });

  const auto shared = std::make_shared<Pattern>(graph);
  const HopShells shells(shared, kHops);
  std::vector<uint64_t> marks(kHops * shells.words());
  bench.movement("hop_shells", all * static_cast<double>(marks.size()) * sizeof(uint64_t),
                 {{"n", n}, {"k", kNeighbours}, {"hops", kHops}}, [&] {
                   for (int64_t i = 0; i < n; ++i) shells.marks(i, 0, shells.words(), marks.data());
                 });
  Transpose again;
  bench.movement("transpose", nnz * (2 * sizeof(int32_t) + sizeof(int64_t)),
                 {{"n", n}, {"k", kNeighbours}}, [&] { again = transpose(pattern); });
}

}  // namespace glgnn::bench
