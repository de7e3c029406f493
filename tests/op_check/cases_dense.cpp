// Cases of the ops on dense numbers, and of feature selection.
#include "check.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/layers.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

// One float in, one out, and again for each number more.
Work moved(double reads_and_writes) { return {.bytes = 4 * reads_and_writes}; }

Case feature_select_case(std::string name, int64_t n, int64_t features, int64_t classes) {
  const int64_t cols = classes + features;
  return {.name = name,
          .in = {{"x", uniform(1, n * features), false},
                 {"s", uniform(2, features)},
                 {"labels", uniform(3, n * classes), false}},
          .out = {{"z", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::feature_select_forward<T>(view(r.out[0], n, cols), view(r.in[0], n, features),
                                               r.in[1].data(), view(r.in[2], n, classes));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::feature_select_backward<T>(r.d_in[1].data(), view(r.d_out[0], n, cols),
                                                view(r.in[0], n, features));
              },
          .forward_work = moved(2.0 * n * cols),
          .backward_work = moved(2.0 * n * features)};
}

Case feature_select_sparse_case(std::string name, SharedPattern pattern, int64_t classes) {
  return {
      .name = name,
      .in = {{"xl", uniform(1, pattern->nnz()), false}, {"s", uniform(2, pattern->cols - classes)}},
      .out = {{"z", pattern->nnz()}},
      .forward =
          [=]<class T>(Run<T>& r) {
            ref::feature_select_sparse_forward<T>(r.out[0].data(), pattern->view(), r.in[0].data(),
                                                  r.in[1].data(), classes);
          },
      .backward =
          [=]<class T>(Run<T>& r) {
            ref::feature_select_sparse_backward<T>(r.d_in[1].data(), r.d_out[0].data(),
                                                   pattern->view(), r.in[0].data(), classes);
          },
      .forward_work = moved(3.0 * pattern->nnz()),
      .backward_work = moved(3.0 * pattern->nnz())};
}

// Rows given by row_ptr; `x` as it comes, so that rows of zeros can be in it.
Case unit_rows_case(std::string name, std::vector<int64_t> row_ptr, std::vector<double> x,
                    float scale) {
  const int64_t rows = static_cast<int64_t>(row_ptr.size()) - 1, n = row_ptr.back();
  return {.name = name,
          .in = {{"x", x}},
          .out = {{"y", n}, {"norm", rows, false}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::unit_rows_forward<T>(r.out[0].data(), r.out[1].data(), r.in[0].data(),
                                          row_ptr.data(), rows, T(scale));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::unit_rows_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.in[0].data(),
                                           r.out[1].data(), row_ptr.data(), rows, T(scale));
              },
          .forward_work = moved(3.0 * n),
          .backward_work = moved(5.0 * n)};
}

// A zero row has no derivative; by definition it passes no gradient.
Case unit_rows_zero_case() {
  Case c = unit_rows_case("zero row", dense_row_ptr(1, 4), std::vector<double>(4, 0.0), 1.5f);
  c.oracle_backward = [](Run<double>&) {};
  return c;
}

struct GemmShape {
  int64_t m, n, k;
  GemmOptions options = {};
};

template <class T, class Gemm>
void run_gemm(Run<T>& r, const GemmShape& s, Gemm&& gemm) {
  const bool ta = s.options.transpose_a, tb = s.options.transpose_b;
  if (s.options.accumulate) r.out[0] = r.in[2];
  gemm(view(r.out[0], s.m, s.n), view(r.in[0], ta ? s.k : s.m, ta ? s.m : s.k),
       view(r.in[1], tb ? s.n : s.k, tb ? s.k : s.n), s.options);
}

// d_a and d_b of c = op(a) op(b), each one more product.
template <class T, class Gemm>
void run_gemm_backward(Run<T>& r, const GemmShape& s, Gemm&& gemm) {
  const bool ta = s.options.transpose_a, tb = s.options.transpose_b;
  const MatView<T> d_c = view(r.d_out[0], s.m, s.n);
  const MatView<T> a = view(r.in[0], ta ? s.k : s.m, ta ? s.m : s.k);
  const MatView<T> b = view(r.in[1], tb ? s.n : s.k, tb ? s.k : s.n);
  const MatView<T> d_a = view(r.d_in[0], a.rows, a.cols), d_b = view(r.d_in[1], b.rows, b.cols);
  if (ta) {
    gemm(d_a, b, d_c, GemmOptions{tb, true, true});
  } else {
    gemm(d_a, d_c, b, GemmOptions{false, !tb, true});
  }
  if (tb) {
    gemm(d_b, d_c, a, GemmOptions{true, ta, true});
  } else {
    gemm(d_b, a, d_c, GemmOptions{!ta, false, true});
  }
}

Case gemm_case(std::string name, GemmShape s) {
  const auto on_cpu = [](int threads) {
    return [threads](MatView<float> c, MatView<const float> a, MatView<const float> b,
                     GemmOptions options) { cpu::gemm(c, a, b, options, threads); };
  };
  const double flops = 2.0 * s.m * s.n * s.k;
  return {.name = name,
          .in = {{"a", uniform(1, s.m * s.k)},
                 {"b", uniform(2, s.k * s.n)},
                 {"c", uniform(3, s.m * s.n), false}},
          .out = {{"c", s.m * s.n}},
          .forward = [=]<class T>(Run<T>& r) { run_gemm(r, s, ref::gemm<T>); },
          .backward = [=]<class T>(Run<T>& r) { run_gemm_backward(r, s, ref::gemm<T>); },
          .backends = {{"cpu", [=](Run<float>& r, int t) { run_gemm(r, s, on_cpu(t)); },
                        [=](Run<float>& r, int t) { run_gemm_backward(r, s, on_cpu(t)); }}},
          .forward_work = {.flops = flops},
          .backward_work = {.flops = 2 * flops}};
}

// The products of matrices that stay on the device: a b, or a^T b.
Case held_product_case(std::string name, GemmShape s) {
  Case c = gemm_case(std::move(name), s);
  c.backward = {};
  c.backends.clear();
  c.no_gradient = "gemm has it";
  const auto on_device = [](MatView<float> to, MatView<const float> a, MatView<const float> b,
                            GemmOptions options) {
    const cuda::HeldMatrix held(a);
    const Matrix found =
        options.transpose_a ? held.transposed_times(cuda::HeldMatrix(b)) : held.times(b).to_host();
    std::copy_n(found.data(), found.size(), to.data);
  };
  return with_cuda(std::move(c), [=](Run<float>& r, int) { run_gemm(r, s, on_device); });
}

std::vector<Case> held_product_cases() {
  return {held_product_case("7x5x3", {7, 5, 3}),
          held_product_case("7x5x3 ta", {7, 5, 3, {true, false, false}}),
          held_product_case("1x33x65", {1, 33, 65}),
          held_product_case("inner 0", {3, 2, 0}),
          held_product_case("no rows", {0, 3, 2}),
          held_product_case("301x77x131", {301, 77, 131}),
          held_product_case("71x67x3001 ta", {71, 67, 3001, {true, false, false}})};
}

Case column_squares_case(std::string name, int64_t n, int64_t cols) {
  return with_cuda({.name = name,
                    .in = {{"x", uniform(1, n * cols)}},
                    .out = {{"squares", cols}},
                    .forward =
                        [=]<class T>(Run<T>& r) {
                          std::fill(r.out[0].begin(), r.out[0].end(), T(0));
                          for (int64_t e = 0; e < n * cols; ++e) {
                            r.out[0][e % cols] += r.in[0][e] * r.in[0][e];
                          }
                        },
                    .no_gradient = "nothing is learned through it"},
                   [=](Run<float>& r, int) {
                     const Matrix found =
                         cuda::HeldMatrix(view(std::as_const(r.in[0]), n, cols)).column_squares();
                     std::copy_n(found.data(), found.size(), r.out[0].data());
                   });
}

std::vector<Case> column_squares_cases() {
  return {column_squares_case("7x5", 7, 5), column_squares_case("no rows", 0, 3),
          column_squares_case("1301x70", 1301, 70)};
}

// Columns less their mean, over their spread; and the different rows, of which each second is a
// copy.
Case held_view_case(std::string name, int64_t n, int64_t cols) {
  std::vector<double> x = uniform(1, n * cols);
  for (int64_t i = 1; i < n; i += 2) std::copy_n(&x[(i - 1) * cols], cols, &x[i * cols]);
  return with_cuda(
      {.name = name,
       .in = {{"x", std::move(x)}, {"mean", uniform(2, cols)}, {"spread", uniform(3, cols, 0, 2)}},
       .out = {{"view", n * cols},
               {"distinct", 1},
               {"means", cols},
               {"variances", cols},
               {"largest", 1}},
       .forward =
           [=]<class T>(Run<T>& r) {
             for (int64_t e = 0; e < n * cols; ++e) {
               const double spread = e % cols == 1 ? 0.0 : double{r.in[2][e % cols]};
               const double apart = double{r.in[0][e]} - double{r.in[1][e % cols]};
               r.out[0][e] = spread > 0 ? static_cast<T>(apart / spread) : T(0);
             }
             r.out[1][0] = static_cast<T>((n + 1) / 2);
             for (int64_t f = 0; f < cols; ++f) {
               double sum = 0, squares = 0;
               for (int64_t i = 0; i < n; ++i) sum += r.in[0][i * cols + f];
               const double mean = sum / static_cast<double>(n);
               for (int64_t i = 0; i < n; ++i) squares += std::pow(r.in[0][i * cols + f] - mean, 2);
               r.out[2][f] = static_cast<T>(mean);
               r.out[3][f] = static_cast<T>(squares / static_cast<double>(n));
             }
             r.out[4][0] = 0;
             for (const T value : r.in[0]) r.out[4][0] = std::max(r.out[4][0], std::abs(value));
           },
       .no_gradient = "nothing is learned through it"},
      [=](Run<float>& r, int) {
        std::vector<double> mean(r.in[1].begin(), r.in[1].end());
        std::vector<double> spread(r.in[2].begin(), r.in[2].end());
        if (cols > 1) spread[1] = 0;
        const cuda::HeldMatrix held(view(std::as_const(r.in[0]), n, cols));
        const Matrix found = held.standardised(mean, spread).to_host();
        std::copy_n(found.data(), found.size(), r.out[0].data());
        r.out[1][0] = static_cast<float>(held.distinct_rows());
        const cuda::ColumnMoments moments = held.moments();
        std::ranges::copy(moments.mean, r.out[2].begin());
        std::ranges::copy(moments.variance, r.out[3].begin());
        r.out[4][0] = moments.largest;
      });
}

std::vector<Case> held_view_cases() {
  return {held_view_case("7x5", 7, 5), held_view_case("one column", 3, 1),
          held_view_case("1301x70", 1301, 70)};
}

// Logits by likeness to landmarks.
Case held_landmarks_case(std::string name, int64_t n, int64_t cols, int64_t count,
                         int64_t classes) {
  return with_cuda({.name = name,
                    .in = {{"x", uniform(1, n * cols)},
                           {"landmarks", uniform(2, count * cols)},
                           {"weights", uniform(3, cols, 0, 1)},
                           {"links", uniform(4, count * classes)},
                           {"linear", uniform(5, cols * classes)},
                           {"offset", uniform(6, classes)}},
                    .out = {{"logits", n * classes}},
                    .forward =
                        [=]<class T>(Run<T>& r) {
                          for (int64_t e = 0; e < n * classes; ++e) {
                            const int64_t i = e / classes, c = e % classes;
                            T sum = r.in[5][c];
                            for (int64_t f = 0; f < cols; ++f) {
                              sum += r.in[0][i * cols + f] * r.in[4][f * classes + c];
                            }
                            for (int64_t t = 0; t < count; ++t) {
                              T dot = 0, squares = 0;
                              for (int64_t f = 0; f < cols; ++f) {
                                const T own = r.in[2][f] * r.in[0][i * cols + f];
                                const T other = r.in[2][f] * r.in[1][t * cols + f];
                                dot += own * other;
                                squares += own * own + other * other;
                              }
                              sum += std::exp(dot - squares / 2) * r.in[3][t * classes + c];
                            }
                            r.out[0][e] = sum;
                          }
                        },
                    .no_gradient = "nothing is learned through it",
                    .naive_limit = 1e-5},
                   [=](Run<float>& r, int) {
                     const cuda::HeldMatrix held(view(std::as_const(r.in[0]), n, cols));
                     const Matrix found =
                         held.logits({.landmarks = view(std::as_const(r.in[1]), count, cols),
                                      .weights = r.in[2].data(),
                                      .links = view(std::as_const(r.in[3]), count, classes),
                                      .linear = view(std::as_const(r.in[4]), cols, classes),
                                      .offset = r.in[5].data()});
                     std::copy_n(found.data(), found.size(), r.out[0].data());
                   });
}

std::vector<Case> held_landmarks_cases() {
  return {held_landmarks_case("7x5, 4 landmarks, 3 classes", 7, 5, 4, 3),
          held_landmarks_case("no rows", 0, 3, 2, 2),
          held_landmarks_case("1301x70, 83 landmarks, 10 classes", 1301, 70, 83, 10)};
}

Case dropout_case(std::string name, int64_t n, float rate) {
  const Rng rng{.seed = 5, .stream = Stream::kDropInput, .owner = 1, .step = 7};
  return {.name = name,
          .in = {{"x", uniform(1, n)}},
          .out = {{"y", n}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::dropout_forward<T>(r.out[0].data(), r.in[0].data(), n, T(rate), rng);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::dropout_backward<T>(r.d_in[0].data(), r.d_out[0].data(), n, T(rate), rng);
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::dropout_forward(r.out[0].data(), r.in[0].data(), n, rate, rng,
                                               threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::dropout_backward(r.d_in[0].data(), r.d_out[0].data(), n, rate, rng,
                                                threads);
                        }}},
          .forward_work = moved(2.0 * n),
          .backward_work = moved(3.0 * n)};
}

Case concat_case(std::string name, int64_t n, int64_t features, int64_t classes) {
  const int64_t cols = classes + features;
  return {.name = name,
          .in = {{"labels", uniform(1, n * classes), false}, {"x", uniform(2, n * features)}},
          .out = {{"z", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::concat_forward<T>(view(r.out[0], n, cols), view(r.in[0], n, classes),
                                       view(r.in[1], n, features));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::concat_backward<T>(view(r.d_in[1], n, features), view(r.d_out[0], n, cols));
              },
          .forward_work = moved(2.0 * n * cols),
          .backward_work = moved(3.0 * n * features)};
}

Case scale_case(std::string name, int64_t n, double factor) {
  return {.name = name,
          .in = {{"x", uniform(1, n)}},
          .out = {{"y", n}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::scale_forward<T>(r.out[0].data(), r.in[0].data(), n, static_cast<T>(factor));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::scale_backward<T>(r.d_in[0].data(), r.d_out[0].data(), n,
                                       static_cast<T>(factor));
              },
          .forward_work = moved(2.0 * n),
          .backward_work = moved(3.0 * n)};
}

Case relu_case(std::string name, std::vector<double> x) {
  const int64_t n = static_cast<int64_t>(x.size());
  return {.name = name,
          .in = {{"x", x}},
          .out = {{"y", n}},
          .forward = [=](auto& r) { ref::relu_forward(r.out[0].data(), r.in[0].data(), n); },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::relu_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.in[0].data(), n);
              },
          .forward_work = moved(2.0 * n),
          .backward_work = moved(4.0 * n)};
}

// At 0 the gradient is 0 by definition.
Case relu_zero_case() {
  Case c = relu_case("at zero", std::vector<double>(3, 0.0));
  c.oracle_backward = [](Run<double>&) {};
  return c;
}

Case softplus_case(std::string name, std::vector<double> x) {
  const int64_t n = static_cast<int64_t>(x.size());
  return {.name = name,
          .in = {{"x", x}},
          .out = {{"y", n}},
          .forward = [=](auto& r) { ref::softplus_forward(r.out[0].data(), r.in[0].data(), n); },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::softplus_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.in[0].data(), n);
              },
          .forward_work = moved(2.0 * n),
          .backward_work = moved(4.0 * n)};
}

Case multiply_case(std::string name, int64_t n) {
  return {.name = name,
          .in = {{"a", uniform(1, n)}, {"b", uniform(2, n)}},
          .out = {{"y", n}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::multiply_forward<T>(r.out[0].data(), r.in[0].data(), r.in[1].data(), n);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::multiply_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.in[1].data(), n);
                ref::multiply_backward<T>(r.d_in[1].data(), r.d_out[0].data(), r.in[0].data(), n);
              },
          .forward_work = moved(3.0 * n),
          .backward_work = moved(8.0 * n)};
}

Case scale_rows_case(std::string name, int64_t n, int64_t cols) {
  return {.name = name,
          .in = {{"x", uniform(1, n * cols)}, {"s", uniform(2, n)}},
          .out = {{"y", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::scale_rows_forward<T>(view(r.out[0], n, cols), view(r.in[0], n, cols),
                                           r.in[1].data());
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::scale_rows_backward<T>(view(r.d_in[0], n, cols), r.d_in[1].data(),
                                            view(r.d_out[0], n, cols), view(r.in[0], n, cols),
                                            r.in[1].data());
              },
          .forward_work = moved(2.0 * n * cols),
          .backward_work = moved(4.0 * n * cols)};
}

Case row_softmax_case(std::string name, int64_t n, int64_t cols, double size) {
  return {.name = name,
          .in = {{"x", uniform(1, n * cols, -size, size)}},
          .out = {{"p", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::row_softmax_forward<T>(view(r.out[0], n, cols), view(r.in[0], n, cols));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::row_softmax_backward<T>(view(r.d_in[0], n, cols), view(r.d_out[0], n, cols),
                                             view(r.out[0], n, cols));
              },
          .forward_work = moved(2.0 * n * cols),
          .backward_work = moved(4.0 * n * cols)};
}

std::vector<Case> feature_select_cases() {
  return {feature_select_case("13x7, 3 classes", 13, 7, 3),
          feature_select_case("no labels", 5, 9, 0),
          feature_select_case("one row", 1, 1, 2),
          feature_select_case("no rows", 0, 4, 2),
          feature_select_sparse_case("sparse 31x17, empty rows", random_pattern(4, 31, 17, 5), 3),
          feature_select_sparse_case("sparse, no labels", random_pattern(5, 9, 11, 4), 0),
          feature_select_sparse_case("sparse, no entries", empty_pattern(6, 5), 2)};
}

std::vector<Case> unit_rows_cases() {
  return {unit_rows_case("7x5", dense_row_ptr(7, 5), uniform(1, 35), 1.0f),
          unit_rows_case("sparse, empty rows", random_pattern(2, 23, 19, 6)->row_ptr,
                         uniform(3, random_pattern(2, 23, 19, 6)->nnz()), 2.5f),
          unit_rows_case("one number", dense_row_ptr(1, 1), {0.5}, 3.0f), unit_rows_zero_case()};
}

std::vector<Case> gemm_cases() {
  return {gemm_case("7x5x3", {7, 5, 3}),
          gemm_case("7x5x3 ta", {7, 5, 3, {true, false, false}}),
          gemm_case("7x5x3 tb", {7, 5, 3, {false, true, false}}),
          gemm_case("7x5x3 ta tb", {7, 5, 3, {true, true, false}}),
          gemm_case("7x5x3 +=", {7, 5, 3, {false, false, true}}),
          gemm_case("9x4x11 ta +=", {9, 4, 11, {true, false, true}}),
          gemm_case("9x4x11 tb +=", {9, 4, 11, {false, true, true}}),
          gemm_case("9x4x11 ta tb +=", {9, 4, 11, {true, true, true}}),
          gemm_case("1x1x1", {1, 1, 1}),
          gemm_case("1x33x65", {1, 33, 65}),
          gemm_case("inner 0", {3, 2, 0}),
          gemm_case("inner 0 +=", {3, 2, 0, {false, false, true}}),
          gemm_case("no rows", {0, 3, 2}),
          gemm_case("301x17x131", {301, 17, 131}),
          gemm_case("301x17x131 ta", {301, 17, 131, {true, false, false}}),
          gemm_case("301x17x131 tb", {301, 17, 131, {false, true, false}}),
          gemm_case("2101x3x5", {2101, 3, 5}),
          gemm_case("33x7x901 ta +=", {33, 7, 901, {true, false, true}})};
}

std::vector<Case> dropout_cases() {
  return {dropout_case("1", 1, 0.5f), dropout_case("37, rate 0.3", 37, 0.3f),
          dropout_case("rate 0", 13, 0.0f), dropout_case("none", 0, 0.5f),
          dropout_case("40003", 40003, 0.5f)};
}

std::vector<Case> concat_cases() {
  return {concat_case("13x7, 3 classes", 13, 7, 3), concat_case("no labels", 5, 9, 0),
          concat_case("no rows", 0, 4, 2)};
}

std::vector<Case> scale_cases() { return {scale_case("37", 37, 0.75), scale_case("none", 0, 2)}; }

std::vector<Case> relu_cases() {
  return {relu_case("37", away_from_zero(1, 37)), relu_case("none", {}), relu_zero_case()};
}

std::vector<Case> softplus_cases() {
  return {softplus_case("37", uniform(1, 37, -4, 4)), softplus_case("far", {-80, -20, 20, 80, 0}),
          softplus_case("none", {})};
}

std::vector<Case> multiply_cases() { return {multiply_case("37", 37), multiply_case("none", 0)}; }

std::vector<Case> scale_rows_cases() {
  return {scale_rows_case("13x7", 13, 7), scale_rows_case("1x1", 1, 1),
          scale_rows_case("no rows", 0, 3)};
}

std::vector<Case> row_softmax_cases() {
  return {row_softmax_case("13x7", 13, 7, 2), row_softmax_case("one class", 5, 1, 2),
          row_softmax_case("sharp rows", 9, 3, 60), row_softmax_case("no rows", 0, 3, 1)};
}

}  // namespace

std::vector<Op> dense_ops() {
  return {
      {"feature_select", feature_select_cases,
       [] {
         return std::vector{
             feature_select_case("2708x1433", 2708, 1433, 7),
             feature_select_sparse_case("sparse 2708x1440", random_pattern(1, 2708, 1440, 50), 7)};
       }},
      {"unit_rows", unit_rows_cases,
       [] {
         return std::vector{
             unit_rows_case("2708x1433", dense_row_ptr(2708, 1433), uniform(1, 2708 * 1433), 1.0f)};
       }},
      {"held_product", held_product_cases,
       [] {
         return std::vector{held_product_case("70000x64x64", {70000, 64, 64})};
       }},
      {"held_view", held_view_cases,
       [] { return std::vector{held_view_case("10000x200", 10000, 200)}; }},
      {"held_landmarks", held_landmarks_cases,
       [] {
         return std::vector{held_landmarks_case("10000x64, 80 landmarks", 10000, 64, 80, 10)};
       }},
      {"column_squares", column_squares_cases,
       [] { return std::vector{column_squares_case("10000x200", 10000, 200)}; }},
      {"gemm", gemm_cases,
       [] {
         return std::vector{gemm_case("2708x32x1433", {2708, 32, 1433}),
                            gemm_case("2708x7x32", {2708, 7, 32})};
       }},
      {"dropout", dropout_cases,
       [] { return std::vector{dropout_case("2708x1433", 2708 * 1433, 0.5f)}; }},
      {"concat", concat_cases, [] { return std::vector{concat_case("2708x32", 2708, 32, 7)}; }},
      {"scale", scale_cases, [] { return std::vector{scale_case("2708x32", 2708 * 32, 0.75)}; }},
      {"relu", relu_cases,
       [] { return std::vector{relu_case("2708x32", away_from_zero(1, 2708 * 32))}; }},
      {"softplus", softplus_cases,
       [] { return std::vector{softplus_case("2708x32", uniform(1, 2708 * 32))}; }},
      {"multiply", multiply_cases, [] { return std::vector{multiply_case("2708x32", 2708 * 32)}; }},
      {"scale_rows", scale_rows_cases,
       [] { return std::vector{scale_rows_case("2708x32", 2708, 32)}; }},
      {"row_softmax", row_softmax_cases,
       [] { return std::vector{row_softmax_case("2708x7", 2708, 7, 1)}; }},
  };
}

}  // namespace glgnn::op_check
