// Kernels on dense matrices.

#include "bench/kernel_bench.h"
#include "core/rng.h"
#include "data/data.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "kernels/graph_norm.h"
#include "kernels/hops.h"
#include "kernels/layers.h"
#include "kernels/losses.h"

namespace glgnn::bench {

void measure_dense(KernelBench& bench) {
  constexpr int64_t kFeatures = 256, kHidden = 32;
  const int64_t n = bench.rows();
  const int threads = bench.threads();
  const Matrix x = random_matrix(n, kFeatures, 4), w = random_matrix(kFeatures, kHidden, 5);
  Matrix y(n, kHidden), d_w(kFeatures, kHidden);
  const double flops = 2.0 * static_cast<double>(n * kFeatures * kHidden);
  const double sgemm = sgemm_seconds(n, kHidden, kFeatures, bench.repeats());
  const Json shape = {{"n", n}, {"d", kFeatures}, {"hidden", kHidden}};
  bench.product("gemm", flops, sgemm, shape,
                [&] { cpu::gemm(y.view(), x.view(), w.view(), {}, threads); });
  bench.product("gemm_transposed", flops, sgemm, shape,
                [&] { cpu::gemm(d_w.view(), x.view(), y.view(), {.transpose_a = true}, threads); });

  const Rng rng{.seed = 1, .stream = Stream::kDropInput};
  constexpr float kRate = 0.5f;
  const Matrix from = random_matrix(n, kFeatures, 6);
  Matrix to(n, kFeatures);
  const auto numbers = static_cast<double>(from.size());
  bench.movement("dropout", 2 * numbers * sizeof(float), {{"numbers", numbers}}, [&] {
    cpu::dropout_forward(to.data(), from.data(), from.size(), kRate, rng, threads);
  });
  bench.movement("dropout_backward", 3 * numbers * sizeof(float), {{"numbers", numbers}}, [&] {
    cpu::dropout_backward(to.data(), from.data(), from.size(), kRate, rng, threads);
  });
}

// Kernels on the pairs of a graph. Bytes are those each kernel must read and write if nothing stays
// in a cache, so that more than a stream copy's rate is possible.

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

// Choosing the learned graph and the backward of its normaliser, dense and sparse.

namespace {

constexpr int64_t kChosen = 10;

struct Chosen {
  explicit Chosen(int64_t n)
      : col(static_cast<size_t>(n * kChosen)),
        count(static_cast<size_t>(n)),
        lse(static_cast<size_t>(n)),
        d_lse(static_cast<size_t>(n), 0.5f) {}
  std::vector<int32_t> col;
  std::vector<int64_t> count;
  std::vector<float> lse, d_lse;
};

// All pairs count in the flops, though each tile of the symmetric S is computed once for both its
// sides: that is how a kernel can be faster than sgemm, which computes all.
void measure_dense_rows(KernelBench& bench, int64_t d) {
  const int64_t n = bench.rows();
  const Matrix z = random_unit_rows(n, d, 1);
  const ZDense<float> rows{z.view()};
  const double flops = 2.0 * static_cast<double>(n * n * d);
  const ProductLimit similarity = similarity_limit(n, d, bench.repeats());
  const ProductLimit gradient = gradient_limit(n, d, bench.repeats());
  const std::string suffix = "/d" + std::to_string(d);
  const auto extra = [&](double large, double tiles, double of_flops) -> Json {
    return {{"n", n},
            {"d", d},
            {"k", kChosen},
            {"sgemm_large_seconds", large},
            {"sgemm_large_gflops", 1e-9 * of_flops / large},
            {"sgemm_tiles_seconds", tiles},
            {"sgemm_tiles_gflops", 1e-9 * of_flops / tiles}};
  };
  const Json forward = extra(similarity.large, similarity.tiles, flops);

  Chosen chosen(n);
  bench.product("graph_learn_choose" + suffix, flops, similarity.seconds(), forward, [&] {
    cpu::graph_learn_choose(chosen.col.data(), chosen.count.data(), nullptr, rows, {},
                            {.k = kChosen}, bench.threads());
  });
  bench.product("graph_learn_choose_lse" + suffix, flops, similarity.seconds(), forward, [&] {
    cpu::graph_learn_choose(chosen.col.data(), chosen.count.data(), chosen.lse.data(), rows, {},
                            {.k = kChosen}, bench.threads());
  });
  Matrix d_z(n, d);
  bench.product(
      "graph_learn_lse_backward" + suffix, 2 * flops, similarity.seconds() + gradient.seconds(),
      extra(similarity.large + gradient.large, similarity.tiles + gradient.tiles, 2 * flops), [&] {
        cpu::graph_learn_lse_backward(d_z.view(), chosen.d_lse.data(), rows, chosen.lse.data(),
                                      false, bench.threads());
      });
  bench.sum("graph_learn_forward_backward" + suffix, "graph_learn_choose_lse" + suffix,
            "graph_learn_lse_backward" + suffix);
}

// Counted as movement: every S_ij is written and read once, in the cache.
void measure_sparse_rows(KernelBench& bench) {
  Dataset cora = load_dataset("cora");
  scale_features(cora.features, Scaling::kRowUnit);
  const Csr& x = cora.features.sparse;
  const int64_t n = x.rows();
  const Transpose by_column = transpose(x.pattern->view());
  const ZSparse<float> rows{x.pattern->view(), x.values.data(), by_column.pattern.view(),
                            by_column.source.data()};
  double pairs = 0;  // multiplications
  for (int64_t f = 0; f < x.cols(); ++f) {
    const auto size = static_cast<double>(by_column.pattern.view().row_size(f));
    pairs += size * size;
  }
  const double bytes = 8.0 * static_cast<double>(n * n);
  const Json extra = {{"n", n}, {"d", x.cols()}, {"k", kChosen}, {"multiplications", pairs}};
  Chosen chosen(n);
  bench.movement("graph_learn_choose_sparse/cora", bytes, extra, [&] {
    cpu::graph_learn_choose(chosen.col.data(), chosen.count.data(), nullptr, rows, {},
                            {.k = kChosen}, bench.threads());
  });
  bench.movement("graph_learn_choose_lse_sparse/cora", bytes, extra, [&] {
    cpu::graph_learn_choose(chosen.col.data(), chosen.count.data(), chosen.lse.data(), rows, {},
                            {.k = kChosen}, bench.threads());
  });
  std::vector<float> d_z(x.values.size());
  bench.movement("graph_learn_lse_backward_sparse/cora", 2 * bytes, extra, [&] {
    cpu::graph_learn_lse_backward(d_z.data(), chosen.d_lse.data(), rows, chosen.lse.data(), false,
                                  bench.threads());
  });
}

}  // namespace

void measure_graph_learning(KernelBench& bench) {
  measure_dense_rows(bench, 64);
  measure_dense_rows(bench, 256);
  measure_sparse_rows(bench);
}

// Kernels that exist in their scalar form alone: linear in the rows, a small part of an epoch.

namespace {

constexpr int64_t kClasses = 10;
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
