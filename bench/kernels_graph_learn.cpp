// Choosing the learned graph and the backward of its normaliser, dense and sparse.
#include "bench/kernel_bench.h"
#include "data/data.h"
#include "kernels/graph_learn.h"
#include "kernels/transpose.h"

namespace glgnn::bench {
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

}  // namespace glgnn::bench
