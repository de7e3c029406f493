// Cases of the search for the fitted rows nearest to others, and of soft classes on a device.
#include <algorithm>
#include <cmath>
#include <utility>

#include "check.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/nearest_rows.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

struct Sizes {
  int64_t queries, fitted, cols, labels, k;
};

// t by its formula, and every column sorted by it.
void by_sorting(Run<double>& r, const Sizes& s, auto&& product) {
  r.exact.assign(1, {});
  const int64_t kept = std::min(s.k, s.fitted);
  for (int64_t i = 0; i < s.queries; ++i) {
    std::vector<std::pair<double, int64_t>> order;
    for (int64_t j = 0; j < s.fitted; ++j) {
      double t = r.in[2][j] * product(i, j) - r.in[3][j];
      for (int64_t c = 0; c < s.labels; ++c) {
        t += r.in[4][i * s.labels + c] * r.in[5][j * s.labels + c];
      }
      order.emplace_back(-t, j);
    }
    std::sort(order.begin(), order.end());
    std::vector<int64_t> best;
    for (int64_t e = 0; e < kept; ++e) best.push_back(order[e].second);
    std::sort(best.begin(), best.end());
    r.exact[0].insert(r.exact[0].end(), best.begin(), best.end());
  }
}

template <class T>
QueryTerms<T> terms_of(Run<T>& r, const Sizes& s) {
  return {r.in[2].data(), r.in[3].data(), view(std::as_const(r.in[4]), s.queries, s.labels),
          view(std::as_const(r.in[5]), s.fitted, s.labels)};
}

template <class T>
void keep_columns(Run<T>& r, const Sizes& s, auto&& search) {
  std::vector<int32_t> col(s.queries * std::min(s.k, s.fitted), -1);
  search(col.data());
  r.exact = {{col.begin(), col.end()}};
}

// Small whole numbers, whose products are exact: the very columns must agree.
std::vector<Input> inputs(const Sizes& s, int64_t query_values, int64_t fitted_values) {
  return {{"q", whole_numbers(1, query_values, -4, 4)},
          {"z", whole_numbers(2, fitted_values, -4, 4)},
          {"scale", whole_numbers(3, s.fitted, 1, 3)},
          {"offset", whole_numbers(4, s.fitted, -5, 5)},
          {"u", whole_numbers(5, s.queries * s.labels, 0, 3)},
          {"v", whole_numbers(6, s.fitted * s.labels, 0, 3)}};
}

Case dense_case(std::string name, Sizes s) {
  const auto q = [s](auto& r) { return view(std::as_const(r.in[0]), s.queries, s.cols); };
  const auto z = [s](auto& r) { return view(std::as_const(r.in[1]), s.fitted, s.cols); };
  return with_cuda(
      {.name = std::move(name),
       .in = inputs(s, s.queries * s.cols, s.fitted * s.cols),
       .forward =
           [=]<class T>(Run<T>& r) {
             keep_columns(r, s, [&](int32_t* col) {
               ref::query_rows<T>(col, q(r), z(r), terms_of(r, s), s.k);
             });
           },
       .backends = {{"cpu",
                     [=](Run<float>& r, int threads) {
                       keep_columns(r, s, [&](int32_t* col) {
                         cpu::query_rows(col, q(r), z(r), terms_of(r, s), s.k, threads);
                       });
                     }}},
       .no_gradient = "columns are whole numbers",
       .oracle =
           [=](Run<double>& r) {
             by_sorting(r, s, [&](int64_t i, int64_t j) {
               double sum = 0;
               for (int64_t d = 0; d < s.cols; ++d) sum += q(r)[i][d] * z(r)[j][d];
               return sum;
             });
           },
       .forward_work = {.flops = 2.0 * s.queries * s.fitted * s.cols}},
      [=](Run<float>& r, int) {
        keep_columns(r, s, [&](int32_t* col) {
          const QueryTerms<float> terms = terms_of(r, s);
          cuda::HeldRows(z(r), terms.scale, terms.offset, terms.v).query(col, q(r), terms.u, s.k);
        });
      });
}

Case sparse_case(std::string name, Sizes s, int64_t per_row) {
  const SharedPattern q = random_pattern(7, s.queries, s.cols, per_row);
  const SharedPattern z = random_pattern(8, s.fitted, s.cols, per_row);
  const auto by_column = std::make_shared<Transpose>(transpose(z->view()));
  const auto turned = [=](const auto& values) {
    auto out = values;
    for (size_t e = 0; e < out.size(); ++e) out[e] = values[by_column->source[e]];
    return out;
  };
  return {.name = std::move(name),
          .in = inputs(s, q->nnz(), z->nnz()),
          .forward =
              [=]<class T>(Run<T>& r) {
                const std::vector<T> values = turned(r.in[1]);
                keep_columns(r, s, [&](int32_t* col) {
                  ref::query_rows<T>(col, q->view(), r.in[0].data(),
                                     {by_column->pattern.view(), values.data()}, terms_of(r, s),
                                     s.k);
                });
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          const std::vector<float> values = turned(r.in[1]);
                          keep_columns(r, s, [&](int32_t* col) {
                            cpu::query_rows(col, q->view(), r.in[0].data(),
                                            {by_column->pattern.view(), values.data()},
                                            terms_of(r, s), s.k, threads);
                          });
                        }}},
          .no_gradient = "columns are whole numbers",
          .oracle =
              [=](Run<double>& r) {
                by_sorting(r, s, [&](int64_t i, int64_t j) {
                  double sum = 0;
                  for (int64_t d = 0; d < s.cols; ++d) {
                    const int64_t a = find_entry(q->view(), i, d), b = find_entry(z->view(), j, d);
                    if (a >= 0 && b >= 0) sum += r.in[0][a] * r.in[1][b];
                  }
                  return sum;
                });
              },
          .forward_work = {.flops = 2.0 * s.queries * s.fitted * per_row}};
}

std::vector<Case> query_rows_cases() {
  return {dense_case("9 of 31x5, k 4", {9, 31, 5, 3, 4}),
          dense_case("without labels, many ties", {11, 50, 1, 0, 7}),
          dense_case("k above the fitted rows", {3, 5, 3, 2, 9}),
          dense_case("one of one", {1, 1, 3, 0, 1}),
          dense_case("no queries", {0, 6, 3, 2, 2}),
          dense_case("no columns", {5, 6, 0, 2, 2}),
          dense_case("k 0", {5, 6, 2, 2, 0}),
          dense_case("101 of 301x7, k 10: several blocks", {101, 301, 7, 4, 10}),
          sparse_case("sparse: 9 of 31x20, k 4", {9, 31, 20, 3, 4}, 3),
          sparse_case("sparse: without labels, empty rows", {40, 33, 9, 0, 5}, 2),
          sparse_case("sparse: several blocks", {70, 200, 30, 2, 6}, 5)};
}

// Soft classes that stay on the device: the softmax of x w + offset, what they sum up of x, then
// classes that weigh as much as their shares, and rows that have one class alone.
Case held_classes_case(std::string name, int64_t n, int64_t cols, int64_t classes) {
  const int64_t told = std::min<int64_t>(n, 3);
  return with_cuda({.name = name,
                    .in = {{"x", uniform(1, n * cols)},
                           {"w", uniform(2, cols * classes)},
                           {"offset", uniform(3, classes)},
                           {"shares", uniform(4, classes, 0.1, 1)}},
                    .out = {{"sums", classes * cols}, {"mass", classes}, {"p", n * classes}},
                    .forward =
                        [=]<class T>(Run<T>& r) {
                          const std::vector<T>&x = r.in[0], &w = r.in[1], &shares = r.in[3];
                          std::vector<T>&sums = r.out[0], &mass = r.out[1], &p = r.out[2];
                          std::fill(sums.begin(), sums.end(), T(0));
                          std::fill(mass.begin(), mass.end(), T(0));
                          for (int64_t i = 0; i < n; ++i) {
                            T all = 0;
                            for (int64_t c = 0; c < classes; ++c) {
                              T logit = r.in[2][c];
                              for (int64_t f = 0; f < cols; ++f)
                                logit += x[i * cols + f] * w[f * classes + c];
                              all += p[i * classes + c] = std::exp(logit);
                            }
                            for (int64_t c = 0; c < classes; ++c) {
                              mass[c] += p[i * classes + c] /= all;
                              for (int64_t f = 0; f < cols; ++f) {
                                sums[c * cols + f] += p[i * classes + c] * x[i * cols + f];
                              }
                            }
                          }
                          for (int64_t i = 0; i < n; ++i) {
                            T all = 0;
                            for (int64_t c = 0; c < classes; ++c) {
                              all += p[i * classes + c] *= shares[c] / mass[c];
                            }
                            for (int64_t c = 0; c < classes; ++c) {
                              p[i * classes + c] =
                                  i < told ? T(c == i % classes) : p[i * classes + c] / all;
                            }
                          }
                        },
                    .no_gradient = "nothing is learned through it",
                    .naive_limit = 1e-5},
                   [=](Run<float>& r, int) {
                     const cuda::HeldMatrix x(view(std::as_const(r.in[0]), n, cols));
                     cuda::HeldClasses p(x.softmax_times(
                         view(std::as_const(r.in[1]), cols, classes), r.in[2].data()));
                     const Matrix sums = p.sums(x);
                     std::copy_n(sums.data(), sums.size(), r.out[0].data());
                     std::ranges::copy(p.mass(), r.out[1].begin());
                     p.match_mass(std::vector<double>(r.in[3].begin(), r.in[3].end()));
                     std::vector<int32_t> rows, labels;
                     for (int32_t i = 0; i < told; ++i) {
                       rows.push_back(i);
                       labels.push_back(static_cast<int32_t>(i % classes));
                     }
                     p.set(rows, labels);
                     const Matrix found = p.to_host();
                     std::copy_n(found.data(), found.size(), r.out[2].data());
                   });
}

std::vector<Case> held_classes_cases() {
  return {held_classes_case("7x5, 3 classes", 7, 5, 3), held_classes_case("one class", 5, 4, 1),
          held_classes_case("no rows", 0, 3, 2),
          held_classes_case("1301x70, 10 classes", 1301, 70, 10)};
}

}  // namespace

std::vector<Op> query_ops() {
  return {{"query_rows", query_rows_cases,
           [] {
             return std::vector{dense_case("1000 of 1797x64, k 10", {1000, 1797, 64, 10, 10}),
                                sparse_case("1000 of 2708x1433", {1000, 2708, 1433, 7, 10}, 18)};
           }},
          {"held_classes", held_classes_cases,
           [] { return std::vector{held_classes_case("10000x64, 10 classes", 10000, 64, 10)}; }}};
}

}  // namespace glgnn::op_check
