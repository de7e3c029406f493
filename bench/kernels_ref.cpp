// Kernels that exist in their scalar form alone: linear in the rows, a small part of an epoch.
#include "bench/kernel_bench.h"
#include "kernels/adam.h"
#include "kernels/edge_softmax.h"
#include "kernels/elementwise.h"
#include "kernels/feature_select.h"
#include "kernels/graph_norm.h"
#include "kernels/losses.h"
#include "kernels/row_softmax.h"
#include "kernels/unit_rows.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kNeighbours = 10, kFeatures = 64, kClasses = 10;
constexpr double kNumber = sizeof(float);

void measure_rows(KernelBench& bench) {
  const int64_t n = bench.rows();
  const Json shape = {{"n", n}, {"d", kFeatures}, {"form", "ref"}};
  const Matrix x = random_matrix(n, kFeatures, 7), labels(n, kClasses);
  const Matrix logits = random_matrix(n, kClasses, 8);
  const Matrix selected = random_matrix(1, kFeatures, 9);
  Matrix y(n, kFeatures), z(n, kClasses + kFeatures), p(n, kClasses);
  const auto numbers = static_cast<double>(x.size());

  Matrix value = x, mean(n, kFeatures), square(n, kFeatures);
  bench.movement("adam", 7 * kNumber * numbers, shape, [&] {
    constexpr double kRate = 0.01;
    ref::adam_step(value.data(), mean.data(), square.data(), x.data(), x.size(), kRate, 1);
  });
  bench.movement("feature_select", 2 * kNumber * static_cast<double>(z.size()), shape, [&] {
    ref::feature_select_forward(z.view(), x.view(), selected.data(), labels.view());
  });
  std::vector<int64_t> row_ptr;
  for (int64_t i = 0; i <= n; ++i) row_ptr.push_back(i * kFeatures);
  std::vector<float> norm(static_cast<size_t>(n));
  bench.movement("unit_rows", 2 * kNumber * numbers, shape, [&] {
    ref::unit_rows_forward(y.data(), norm.data(), x.data(), row_ptr.data(), n, 1.0f);
  });
  bench.movement("relu", 2 * kNumber * numbers, shape,
                 [&] { ref::relu_forward(y.data(), x.data(), x.size()); });
  bench.movement("row_softmax", 2 * kNumber * static_cast<double>(p.size()),
                 {{"n", n}, {"d", kClasses}, {"form", "ref"}},
                 [&] { ref::row_softmax_forward(p.view(), logits.view()); });
}

void measure_pairs(KernelBench& bench) {
  const int64_t n = bench.rows();
  const Json shape = {{"n", n}, {"k", kNeighbours}, {"form", "ref"}};
  const Pattern graph =
      nearest_rows(random_unit_rows(n, kFeatures, 2), kNeighbours, bench.threads());
  const auto nnz = static_cast<double>(graph.nnz());
  const std::vector<float> s(graph.col.size(), 0.5f), lse(static_cast<size_t>(n), 9.0f);
  std::vector<float> p(graph.col.size()), sum(static_cast<size_t>(n));

  bench.movement("edge_exp", 2 * kNumber * nnz, shape, [&] {
    ref::edge_exp_forward(p.data(), s.data(), lse.data(), graph.row_ptr.data(), n);
  });
  bench.movement("row_scale", 2 * kNumber * nnz, shape, [&] {
    ref::row_scale_forward(p.data(), sum.data(), s.data(), graph.row_ptr.data(), n, {});
  });
  SelfLoops loops = add_self_loops(graph.view());
  const auto with_loops = static_cast<double>(loops.pattern.nnz());
  bench.movement("add_self_loops", nnz * 4 + with_loops * (4 + 8), shape,
                 [&] { loops = add_self_loops(graph.view()); });
  std::vector<float> y(loops.pattern.col.size()), r(static_cast<size_t>(n));
  bench.movement("gcn_norm", with_loops * (2 * kNumber + 4 + 8), shape, [&] {
    ref::gcn_norm_forward(y.data(), r.data(), loops.pattern.view(), loops.source.data(), s.data());
  });
  volatile double loss = 0;  // or the compiler would leave the sum out
  bench.movement("sparse_l1", (nnz + with_loops) * (kNumber + 4), shape, [&] {
    loss = ref::sparse_l1_forward(graph.view(), s.data(), loops.pattern.view(), y.data());
  });
}

}  // namespace

void measure_scalar(KernelBench& bench) {
  measure_rows(bench);
  measure_pairs(bench);
}

}  // namespace glgnn::bench
