// Cases of the ops that best mode adds: propagation, losses on soft targets, biases, nearest rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "check.h"
#include "core/rng.h"
#include "kernels/dense.h"
#include "kernels/losses.h"
#include "kernels/nearest_rows.h"
#include "kernels/propagate.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

// A graph in both directions, with the diagonal where `self`; rows 3, 8, 13, ... are isolated.
SharedPattern symmetric_pattern(uint64_t seed, int64_t n, int64_t per_row, bool self) {
  const SharedPattern one_way = random_graph(seed, n, per_row);
  std::vector<std::vector<int32_t>> columns(n);
  for (int64_t i = 0; i < n; ++i) {
    if (self && i % 5 != 3) columns[i].push_back(static_cast<int32_t>(i));
    for (int64_t e = one_way->row_ptr[i]; e < one_way->row_ptr[i + 1]; ++e) {
      const int32_t j = one_way->col[e];
      if (j % 5 == 3) continue;
      columns[i].push_back(j);
      columns[j].push_back(static_cast<int32_t>(i));
    }
  }
  auto out = std::make_shared<Pattern>();
  out->rows = out->cols = n;
  for (auto& row : columns) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    out->col.insert(out->col.end(), row.begin(), row.end());
    out->row_ptr.push_back(out->nnz());
  }
  return out;
}

// The same number at (i, j) and (j, i).
std::vector<double> symmetric_values(uint64_t seed, PatternView pattern) {
  const Rng rng{.seed = seed, .step = 4};
  std::vector<double> out;
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t low = std::min<int64_t>(i, pattern.col[e]);
      const int64_t high = std::max<int64_t>(i, pattern.col[e]);
      out.push_back(0.05f + 0.2f * rng.uniform(low * pattern.rows + high));
    }
  }
  return out;
}

struct Propagation {
  SharedPattern pattern;
  int64_t cols;
  int64_t steps;
  float alpha;
};

// ((1 - alpha)^steps S^steps + alpha sum over t < steps of (1 - alpha)^t S^t) h, by dense powers.
void propagate_by_powers(Run<double>& r, const Propagation& p) {
  const int64_t n = p.pattern->rows;
  const double alpha = p.alpha;
  std::vector<double> s(n * n, 0.0), power(n * n, 0.0), sum(n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    power[i * n + i] = 1;
    for (int64_t e = p.pattern->row_ptr[i]; e < p.pattern->row_ptr[i + 1]; ++e) {
      s[i * n + p.pattern->col[e]] = r.in[0][e];
    }
  }
  for (int64_t t = 0; t < p.steps; ++t) {
    std::vector<double> next(n * n, 0.0);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        sum[i * n + j] += alpha * power[i * n + j];
        for (int64_t m = 0; s[i * n + j] != 0 && m < n; ++m) {
          next[i * n + m] += (1 - alpha) * s[i * n + j] * power[j * n + m];
        }
      }
    }
    power = std::move(next);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < p.cols; ++c) {
      double z = 0;
      for (int64_t j = 0; j < n; ++j) {
        z += (power[i * n + j] + sum[i * n + j]) * r.in[1][j * p.cols + c];
      }
      r.out[0][i * p.cols + c] = z;
    }
  }
}

// Its own adjoint: S is symmetric. Calls `propagate` with a result, and adds it.
template <class T, class Propagate>
void add_adjoint(Run<T>& r, Propagate&& propagate) {
  std::vector<T> back(r.in[1].size());
  propagate(back, std::as_const(r.d_out[0]));
  for (size_t e = 0; e < back.size(); ++e) r.d_in[1][e] += back[e];
}

Case propagate_case(std::string name, Propagation p) {
  constexpr int64_t kDense = 400;  // rows up to which dense powers are cheap
  const int64_t n = p.pattern->rows;
  const auto in_ref = [=]<class T>(Run<T>& r, std::vector<T>& z, const std::vector<T>& h) {
    ref::propagate<T>(view(z, n, p.cols), p.pattern->view(), r.in[0].data(), view(h, n, p.cols),
                      p.steps, T(p.alpha));
  };
  const auto in_cpu = [=](Run<float>& r, std::vector<float>& z, const std::vector<float>& h,
                          int threads) {
    cpu::propagate(view(z, n, p.cols), p.pattern->view(), r.in[0].data(), view(h, n, p.cols),
                   p.steps, p.alpha, threads);
  };
  const auto in_cuda = [=](Run<float>& r, std::vector<float>& z, const std::vector<float>& h) {
    cuda::HeldGraph(p.pattern->view(), r.in[0].data())
        .propagate(view(z, n, p.cols), view(h, n, p.cols), p.steps, p.alpha);
  };
  const double flops = static_cast<double>(p.steps) * p.cols * (2.0 * p.pattern->nnz() + 3.0 * n);
  Case c{.name = name,
         .in = {{"values", symmetric_values(1, p.pattern->view()), false},
                {"h", uniform(2, n * p.cols)}},
         .out = {{"z", n * p.cols}},
         .forward = [=]<class T>(Run<T>& r) { in_ref(r, r.out[0], std::as_const(r.in[1])); },
         .backward =
             [=]<class T>(Run<T>& r) {
               add_adjoint(r, [&](auto& z, const auto& h) { in_ref(r, z, h); });
             },
         .backends = {{"cpu",
                       [=](Run<float>& r, int threads) { in_cpu(r, r.out[0], r.in[1], threads); },
                       [=](Run<float>& r, int threads) {
                         add_adjoint(r, [&](auto& z, const auto& h) { in_cpu(r, z, h, threads); });
                       }}},
         .forward_work = {.flops = flops},
         .backward_work = {.flops = flops}};
  if (n <= kDense) c.oracle = [=](Run<double>& r) { propagate_by_powers(r, p); };
  return with_cuda(
      std::move(c), [=](Run<float>& r, int) { in_cuda(r, r.out[0], r.in[1]); },
      [=](Run<float>& r, int) {
        add_adjoint(r, [&](auto& z, const auto& h) { in_cuda(r, z, h); });
      });
}

// The softmax of row i by its definition.
std::vector<double> softmax_row(const std::vector<double>& x, int64_t i, int64_t classes) {
  std::vector<double> p(classes);
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) sum += p[c] = std::exp(x[i * classes + c]);
  for (double& value : p) value /= sum;
  return p;
}

// Targets that do not all sum to 1. Every third row has weight 0 and targets that may not be read.
Case soft_cross_entropy_case(std::string name, int64_t n, int64_t classes, double size) {
  std::vector<double> targets = uniform(2, n * classes, 0, 1);
  std::vector<double> weights = uniform(3, n, 0.1, 1);
  for (int64_t i = 1; i < n; i += 3) {
    weights[i] = 0;
    std::fill_n(targets.begin() + i * classes, classes, std::numeric_limits<double>::quiet_NaN());
  }
  return {.name = name,
          .in = {{"x", uniform(1, n * classes, -size, size)},
                 {"targets", targets, false},
                 {"weights", weights, false}},
          .out = {{"loss", 1}},
          .forward =
              [=]<class T>(Run<T>& r) {
                r.out[0][0] = static_cast<T>(ref::soft_cross_entropy_forward<T>(
                    view(std::as_const(r.in[0]), n, classes),
                    view(std::as_const(r.in[1]), n, classes), r.in[2].data()));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::soft_cross_entropy_backward<T>(view(r.d_in[0], n, classes), r.d_out[0][0],
                                                    view(std::as_const(r.in[0]), n, classes),
                                                    view(std::as_const(r.in[1]), n, classes),
                                                    r.in[2].data());
              },
          .oracle =
              [=](Run<double>& r) {
                double sum = 0;
                for (int64_t i = 0; i < n; ++i) {
                  const std::vector<double> p = softmax_row(r.in[0], i, classes);
                  for (int64_t c = 0; r.in[2][i] != 0 && c < classes; ++c) {
                    sum -= r.in[2][i] * r.in[1][i * classes + c] * std::log(p[c]);
                  }
                }
                r.out[0][0] = sum;
              },
          .forward_work = {.bytes = 8.0 * n * classes},
          .backward_work = {.bytes = 16.0 * n * classes}};
}

Case softmax_distance_case(std::string name, int64_t n, int64_t classes, double size) {
  return {.name = name,
          .in = {{"x", uniform(1, n * classes, -size, size)},
                 {"targets", uniform(2, n * classes, 0, 1), false}},
          .out = {{"loss", 1}},
          .forward =
              [=]<class T>(Run<T>& r) {
                r.out[0][0] = static_cast<T>(
                    ref::softmax_distance_forward<T>(view(std::as_const(r.in[0]), n, classes),
                                                     view(std::as_const(r.in[1]), n, classes)));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::softmax_distance_backward<T>(view(r.d_in[0], n, classes), r.d_out[0][0],
                                                  view(std::as_const(r.in[0]), n, classes),
                                                  view(std::as_const(r.in[1]), n, classes));
              },
          .oracle =
              [=](Run<double>& r) {
                double sum = 0;
                for (int64_t i = 0; i < n; ++i) {
                  const std::vector<double> p = softmax_row(r.in[0], i, classes);
                  for (int64_t c = 0; c < classes; ++c) {
                    sum += std::pow(p[c] - r.in[1][i * classes + c], 2);
                  }
                }
                r.out[0][0] = n > 0 ? sum / static_cast<double>(n) : 0.0;
              },
          .forward_work = {.bytes = 8.0 * n * classes},
          .backward_work = {.bytes = 16.0 * n * classes}};
}

Case sharpen_case(std::string name, int64_t n, int64_t classes, double size) {
  return {.name = name,
          .in = {{"x", uniform(1, n * classes, -size, size)}},
          .out = {{"targets", n * classes}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::sharpen<T>(view(r.out[0], n, classes),
                                view(std::as_const(r.in[0]), n, classes));
              },
          .no_gradient = "the result is a target, which is constant",
          .oracle =
              [=](Run<double>& r) {
                for (int64_t i = 0; i < n; ++i) {
                  const std::vector<double> p = softmax_row(r.in[0], i, classes);
                  double sum = 0;
                  for (const double value : p) sum += value * value;
                  for (int64_t c = 0; c < classes; ++c) {
                    r.out[0][i * classes + c] = p[c] * p[c] / sum;
                  }
                }
              },
          .forward_work = {.bytes = 8.0 * n * classes}};
}

// Without d_x: x is a constant, and its gradient a null pointer.
Case add_bias_case(std::string name, int64_t n, int64_t cols, bool with_d_x = true) {
  return {.name = name,
          .in = {{"x", uniform(1, n * cols), with_d_x}, {"b", uniform(2, cols)}},
          .out = {{"y", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::add_bias_forward<T>(view(r.out[0], n, cols),
                                         view(std::as_const(r.in[0]), n, cols), r.in[1].data());
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::add_bias_backward<T>(with_d_x ? r.d_in[0].data() : nullptr, r.d_in[1].data(),
                                          view(std::as_const(r.d_out[0]), n, cols));
              },
          .forward_work = {.bytes = 8.0 * n * cols},
          .backward_work = {.bytes = 12.0 * n * cols}};
}

Case soft_pull_case(std::string name, int64_t n, int64_t classes, double size, float consistency) {
  std::vector<double> logits = uniform(1, n * classes), weights = uniform(3, n);
  for (double& x : logits) x = static_cast<float>(size * x);
  for (int64_t i = 0; i < n; i += 3) weights[i] = 0;
  return {.name = name,
          .in = {{"x", logits}, {"targets", uniform(2, n * classes)}, {"weights", weights}},
          .out = {{"d_x", n * classes}},
          .forward =
              [=]<class T>(Run<T>& r) {
                std::fill(r.out[0].begin(), r.out[0].end(), T(0.5));
                ref::soft_pull<T>(
                    view(r.out[0], n, classes), view(std::as_const(r.in[0]), n, classes),
                    view(std::as_const(r.in[1]), n, classes), r.in[2].data(), T(consistency));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          std::fill(r.out[0].begin(), r.out[0].end(), 0.5f);
                          cpu::soft_pull(view(r.out[0], n, classes),
                                         view(std::as_const(r.in[0]), n, classes),
                                         view(std::as_const(r.in[1]), n, classes), r.in[2].data(),
                                         consistency, threads);
                        }}},
          .no_gradient = "it is a gradient: of soft_cross_entropy and softmax_distance",
          .forward_work = {.bytes = 12.0 * n * classes}};
}

// Coordinates are small whole numbers, whose products are exact: the very columns must agree.
Case nearest_rows_case(std::string name, int64_t n, int64_t cols, int64_t k,
                       std::vector<double> z = {}) {
  if (z.empty()) z = whole_numbers(1, n * cols, -4, 4);
  const int64_t kept = std::clamp<int64_t>(k, 0, std::max<int64_t>(0, n - 1));
  const auto columns_of = [=](auto& r, auto&& search) {
    std::vector<int32_t> col(n * kept, -1);
    search(col.data());
    r.exact = {{col.begin(), col.end()}};
  };
  return with_cuda(
      {.name = name,
       .in = {{"z", z}},
       .forward =
           [=]<class T>(Run<T>& r) {
             columns_of(r, [&](int32_t* col) {
               ref::nearest_rows<T>(col, view(std::as_const(r.in[0]), n, cols), k);
             });
           },
       .backends = {{"cpu",
                     [=](Run<float>& r, int threads) {
                       columns_of(r, [&](int32_t* col) {
                         cpu::nearest_rows(col, view(std::as_const(r.in[0]), n, cols), k, threads);
                       });
                     }}},
       .no_gradient = "columns are whole numbers",
       .oracle =
           [=](Run<double>& r) {
             r.exact.assign(1, {});
             for (int64_t i = 0; i < n; ++i) {
               std::vector<std::pair<double, int64_t>> by_distance;
               for (int64_t j = 0; j < n; ++j) {
                 double square = 0;
                 for (int64_t d = 0; d < cols; ++d) {
                   square += std::pow(r.in[0][i * cols + d] - r.in[0][j * cols + d], 2);
                 }
                 if (j != i) by_distance.emplace_back(square, j);
               }
               std::sort(by_distance.begin(), by_distance.end());
               std::vector<int64_t> nearest;
               for (int64_t e = 0; e < kept; ++e) nearest.push_back(by_distance[e].second);
               std::sort(nearest.begin(), nearest.end());
               r.exact[0].insert(r.exact[0].end(), nearest.begin(), nearest.end());
             }
           },
       .forward_work = {.flops = 2.0 * n * n * cols}},
      [=](Run<float>& r, int) {
        columns_of(r, [&](int32_t* col) {
          cuda::nearest_rows(col, view(std::as_const(r.in[0]), n, cols), k);
        });
      });
}

// All rows the same: the smallest columns win.
Case nearest_rows_tied_case() {
  return nearest_rows_case("all rows alike", 70, 3, 5, std::vector<double>(70 * 3, 2.0));
}

std::vector<Case> propagate_cases() {
  const SharedPattern graph = symmetric_pattern(1, 31, 4, true);
  return {propagate_case("31x3, 8 steps", {graph, 3, 8, 0.1f}),
          propagate_case("without self-loops", {symmetric_pattern(2, 23, 3, false), 2, 5, 0.2f}),
          propagate_case("no steps", {graph, 3, 0, 0.1f}),
          propagate_case("alpha 0", {graph, 3, 3, 0.0f}),
          propagate_case("alpha 1", {graph, 3, 3, 1.0f}),
          propagate_case("one row", {full_pattern(1, 1), 1, 4, 0.3f}),
          propagate_case("no edges", {empty_pattern(9, 9), 4, 2, 0.4f}),
          propagate_case("no rows", {empty_pattern(0, 0), 2, 2, 0.4f}),
          propagate_case("every pair", {full_pattern(9, 9), 33, 2, 0.25f}),
          propagate_case("every pair, 40 classes", {full_pattern(9, 9), 40, 2, 0.25f}),
          propagate_case("31x12, 3 steps", {graph, 12, 3, 0.1f}),
          propagate_case("5001x7, 3 steps", {symmetric_pattern(3, 5001, 4, true), 7, 3, 0.1f})};
}

std::vector<Case> soft_cross_entropy_cases() {
  return {soft_cross_entropy_case("37x5", 37, 5, 1), soft_cross_entropy_case("one row", 1, 3, 1),
          soft_cross_entropy_case("one class", 9, 1, 1),
          soft_cross_entropy_case("no rows", 0, 3, 1),
          soft_cross_entropy_case("large logits", 13, 4, 40)};
}

std::vector<Case> softmax_distance_cases() {
  return {softmax_distance_case("37x5", 37, 5, 1), softmax_distance_case("one row", 1, 3, 1),
          softmax_distance_case("one class", 9, 1, 1), softmax_distance_case("no rows", 0, 3, 1),
          softmax_distance_case("large logits", 13, 4, 12)};
}

std::vector<Case> sharpen_cases() {
  return {sharpen_case("37x5", 37, 5, 1), sharpen_case("one row", 1, 3, 1),
          sharpen_case("one class", 9, 1, 1), sharpen_case("no rows", 0, 3, 1),
          sharpen_case("large logits", 13, 4, 12)};
}

Case ranked_rows_case(std::string name, const std::vector<double>& x, int64_t n, int64_t cols,
                      int64_t k) {
  const int64_t kept = std::clamp<int64_t>(k, 0, std::max<int64_t>(0, n - 1));
  return with_cuda({.name = name,
                    .in = {{"x", x}},
                    .forward =
                        [=]<class T>(Run<T>& r) {
                          r.exact.assign(1, {});
                          for (int64_t i = 0; i < n; ++i) {
                            std::vector<std::pair<T, int64_t>> by_angle;
                            for (int64_t j = 0; j < n; ++j) {
                              T dot = 0;
                              for (int64_t f = 0; f < cols; ++f) {
                                dot += r.in[0][i * cols + f] * r.in[0][j * cols + f];
                              }
                              if (j != i) by_angle.emplace_back(-dot, j);
                            }
                            std::sort(by_angle.begin(), by_angle.end());
                            for (int64_t c = 0; c < kept; ++c)
                              r.exact[0].push_back(by_angle[c].second);
                          }
                        },
                    .no_gradient = "columns are whole numbers"},
                   [=](Run<float>& r, int) {
                     std::vector<int32_t> col(n * kept, -1);
                     cuda::ranked_rows(col.data(),
                                       cuda::HeldMatrix(view(std::as_const(r.in[0]), n, cols)), k);
                     r.exact = {{col.begin(), col.end()}};
                   });
}

// Small whole numbers of the same length in every row: dots are exact, and so are ties.
Case ranked_rows_case(std::string name, int64_t n, int64_t cols, int64_t k) {
  std::vector<double> x(n * cols, 0.0);
  const std::vector<double> place = whole_numbers(1, 4 * n, 0, static_cast<int>(cols) / 4 - 1);
  for (int64_t e = 0; e < 4 * n; ++e) {
    x[e / 4 * cols + e % 4 * (cols / 4) + static_cast<int64_t>(place[e])] = 1;
  }
  return ranked_rows_case(std::move(name), x, n, cols, k);
}

// Points of an arc whose neighbours lie further and further apart: no two are about as similar.
Case ranked_arc_case(std::string name, int64_t n, int64_t cols, int64_t k) {
  std::vector<double> x(n * cols, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i) / static_cast<double>(n);
    x[i * cols] = std::cos(at + at * at);
    x[i * cols + cols - 1] = std::sin(at + at * at);
  }
  return ranked_rows_case(std::move(name), x, n, cols, k);
}

std::vector<Case> ranked_rows_cases() {
  return {ranked_rows_case("31x8, k 4", 31, 8, 4),
          ranked_rows_case("k above the other rows", 5, 8, 9), ranked_rows_case("one row", 1, 8, 2),
          ranked_rows_case("300x80, k 40", 300, 80, 40),
          ranked_arc_case("40x130, k 3: no ties", 40, 130, 3)};
}

std::vector<Case> soft_pull_cases() {
  return {soft_pull_case("37x5", 37, 5, 1, 0.5f),
          soft_pull_case("no consistency", 37, 5, 1, 0),
          soft_pull_case("one class", 9, 1, 1, 0.5f),
          soft_pull_case("no rows", 0, 3, 1, 0.5f),
          soft_pull_case("large logits", 13, 4, 12, 0.5f),
          soft_pull_case("9000x3: several threads", 9000, 3, 1, 0.5f)};
}

std::vector<Case> add_bias_cases() {
  return {add_bias_case("37x5", 37, 5), add_bias_case("without d_x", 37, 5, false),
          add_bias_case("one row", 1, 3), add_bias_case("no rows", 0, 3)};
}

std::vector<Case> nearest_rows_cases() {
  return {nearest_rows_case("31x5, k 4", 31, 5, 4),
          nearest_rows_case("one column: many ties", 50, 1, 7),
          nearest_rows_tied_case(),
          nearest_rows_case("k above the other rows", 5, 3, 9),
          nearest_rows_case("two rows", 2, 3, 1),
          nearest_rows_case("one row", 1, 3, 2),
          nearest_rows_case("no rows", 0, 3, 2),
          nearest_rows_case("no columns: several blocks", 300, 0, 2),
          nearest_rows_case("301x7, k 10: several blocks", 301, 7, 10)};
}

}  // namespace

std::vector<Op> best_ops() {
  return {
      {"propagate", propagate_cases,
       [] {
         return std::vector{
             propagate_case("2708x7, 8 steps", {symmetric_pattern(1, 2708, 5, true), 7, 8, 0.1f})};
       }},
      {"soft_cross_entropy", soft_cross_entropy_cases,
       [] { return std::vector{soft_cross_entropy_case("2708x7", 2708, 7, 1)}; }},
      {"softmax_distance", softmax_distance_cases,
       [] { return std::vector{softmax_distance_case("2708x7", 2708, 7, 1)}; }},
      {"sharpen", sharpen_cases, [] { return std::vector{sharpen_case("2708x7", 2708, 7, 1)}; }},
      {"soft_pull", soft_pull_cases,
       [] { return std::vector{soft_pull_case("2708x7", 2708, 7, 1, 0.5f)}; }},
      {"add_bias", add_bias_cases, [] { return std::vector{add_bias_case("2708x32", 2708, 32)}; }},
      {"ranked_rows", ranked_rows_cases,
       [] { return std::vector{ranked_rows_case("2000x64, k 10", 2000, 64, 10)}; }},
      {"nearest_rows", nearest_rows_cases,
       [] { return std::vector{nearest_rows_case("1797x64, k 5", 1797, 64, 5)}; }}};
}

}  // namespace glgnn::op_check
