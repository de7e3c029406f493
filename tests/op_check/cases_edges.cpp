// Cases of drawing edges, and of the ops on the values of a pattern: edge_dot, softmax, spmm.
#include <algorithm>
#include <cmath>
#include <memory>

#include "check.h"
#include "core/parallel.h"
#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

template <class Rows>
Case edge_dot_case(std::string name, Rows rows, std::vector<double> z, SharedPattern pattern) {
  const auto transposed = std::make_shared<const Transpose>(transpose(pattern->view()));
  const double flops = 2.0 * pattern->nnz() * rows.size() / std::max<int64_t>(1, rows.rows());
  return {.name = name,
          .in = {{"z", z}},
          .out = {{"s", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::edge_dot_forward<T>(r.out[0].data(), pattern->view(), rows.z(r.in[0]));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::edge_dot_backward<T>(rows.gradient(r.d_in[0]), r.d_out[0].data(),
                                          pattern->view(), transposed->view(), rows.z(r.in[0]));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::edge_dot_forward(r.out[0].data(), pattern->view(), rows.z(r.in[0]),
                                                threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::edge_dot_backward(rows.gradient(r.d_in[0]), r.d_out[0].data(),
                                                 pattern->view(), transposed->view(),
                                                 rows.z(r.in[0]), threads);
                        }}},
          .oracle =
              [=](Run<double>& r) {
                const std::vector<double> dense = rows.as_dense(r.in[0]);
                for (int64_t i = 0; i < pattern->rows; ++i) {
                  for (int64_t e = pattern->row_ptr[i]; e < pattern->row_ptr[i + 1]; ++e) {
                    r.out[0][e] = dot(dense, rows.cols(), i, pattern->col[e]);
                  }
                }
              },
          .forward_work = {.flops = flops},
          .backward_work = {.flops = 2 * flops}};
}

Case edge_exp_case(std::string name, SharedPattern pattern) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {
      .name = name,
      .in = {{"s", uniform(1, pattern->nnz(), -2, 2)}, {"lse", uniform(2, pattern->rows, 1, 3)}},
      .out = {{"p", pattern->nnz()}},
      .forward =
          [=]<class T>(Run<T>& r) {
            ref::edge_exp_forward<T>(r.out[0].data(), r.in[0].data(), r.in[1].data(),
                                     pattern->row_ptr.data(), pattern->rows);
          },
      .backward =
          [=]<class T>(Run<T>& r) {
            ref::edge_exp_backward<T>(r.d_in[0].data(), r.d_in[1].data(), r.d_out[0].data(),
                                      r.out[0].data(), pattern->row_ptr.data(), pattern->rows);
          },
      .forward_work = {.bytes = 8 * nnz},
      .backward_work = {.bytes = 16 * nnz}};
}

Case edge_softmax_case(std::string name, SharedPattern pattern, double size) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {.name = name,
          .in = {{"s", uniform(1, pattern->nnz(), -size, size)}},
          .out = {{"p", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::edge_softmax_forward<T>(r.out[0].data(), r.in[0].data(),
                                             pattern->row_ptr.data(), pattern->rows);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::edge_softmax_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.out[0].data(),
                                              pattern->row_ptr.data(), pattern->rows);
              },
          .forward_work = {.bytes = 8 * nnz},
          .backward_work = {.bytes = 16 * nnz}};
}

constexpr float kOther = 0.25f;  // h of the pairs that are not near

// The neighbours drawn for each row; near pairs have weights of their own.
template <class Rows>
Case draw_case(std::string name, Rows rows, std::vector<double> z, int64_t k, bool diagonal,
               SharedPattern near) {
  const Rng rng{7, Stream::kSampleNeighbours, 2, 5};
  const ChooseOptions options{.k = k, .diagonal = diagonal};
  const int64_t n = rows.rows();
  const auto run = [=]<class T>(Run<T>& r, int threads) {
    std::vector<int32_t> col(n * k, -1);
    std::vector<int64_t> count(n);
    const HopWeights<T> hops{near->view(), r.in[1].data(), T(kOther)};
    for_row_ranges(n, n * n * 64, threads, [&](int64_t first, int64_t last) {
      ref::graph_learn_draw(col.data(), count.data(), rows.z(r.in[0]), hops, options, rng, first,
                            last);
    });
    r.exact = {count, {col.begin(), col.end()}};
  };
  const auto sort_everything = [=](Run<double>& r) {
    const std::vector<double> dense = rows.as_dense(r.in[0]);
    r.exact.assign(2, {});
    for (int64_t i = 0; i < n; ++i) {
      std::vector<std::pair<double, int64_t>> order;
      for (int64_t j = 0; j < n; ++j) {
        if (j == i && !diagonal) continue;
        const int64_t e = near->rows > 0 ? find_entry(near->view(), i, j) : -1;
        const double h = near->rows == 0 ? 1 : e >= 0 ? r.in[1][e] : kOther;
        const double chance = h * std::exp(dot(dense, rows.cols(), i, j));
        const double u = rng.uniform(i * n + j);
        order.emplace_back(std::log(u) / chance, j);  // the larger, the sooner drawn
      }
      std::sort(order.rbegin(), order.rend());
      if (static_cast<int64_t>(order.size()) > k) order.resize(k);
      std::vector<int64_t> columns;
      for (const auto& [rank, j] : order) columns.push_back(j);
      std::sort(columns.begin(), columns.end());
      r.exact[0].push_back(static_cast<int64_t>(columns.size()));
      columns.resize(k, -1);
      r.exact[1].insert(r.exact[1].end(), columns.begin(), columns.end());
    }
  };
  return {.name = name,
          .in = {{"z", z, false}, {"h", uniform(3, near->nnz(), 0.1, 1), false}},
          .forward = [=](auto& r) { run(r, 1); },
          .backends = {{"rows", [=](Run<float>& r, int threads) { run(r, threads); }, {}}},
          .no_gradient = "the choice is constant",
          .oracle = sort_everything,
          .forward_work = {.flops = rows.all_pairs_flops()}};
}

std::vector<Case> draw_cases() {
  const SharedPattern none = empty_pattern(0, 0), sparse = random_pattern(1, 97, 11, 4);
  return {draw_case("23x5", DenseRows{23, 5}, uniform(1, 23 * 5), 4, false, none),
          draw_case("23x5, diagonal, hops", DenseRows{23, 5}, uniform(1, 23 * 5), 4, true,
                    random_graph(2, 23, 6)),
          draw_case("k > N", DenseRows{5, 3}, uniform(1, 15), 9, false, none),
          draw_case("sparse 97x11, hops", SparseRows(sparse), uniform(1, sparse->nnz()), 9, false,
                    random_graph(2, 97, 9))};
}

Case spmm_case(std::string name, SharedPattern pattern, int64_t cols) {
  const auto transposed = std::make_shared<const Transpose>(transpose(pattern->view()));
  const int64_t n = pattern->rows, m = pattern->cols;
  const double flops = 2.0 * pattern->nnz() * cols;
  return {.name = name,
          .in = {{"values", uniform(1, pattern->nnz())}, {"x", uniform(2, m * cols)}},
          .out = {{"y", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::spmm_forward<T>(view(r.out[0], n, cols), pattern->view(), r.in[0].data(),
                                     view(r.in[1], m, cols));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::spmm_backward_values<T>(r.d_in[0].data(), pattern->view(),
                                             view(r.d_out[0], n, cols), view(r.in[1], m, cols));
                ref::spmm_backward_x<T>(view(r.d_in[1], m, cols), transposed->view(),
                                        r.in[0].data(), view(r.d_out[0], n, cols));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::spmm_forward(view(r.out[0], n, cols), pattern->view(),
                                            r.in[0].data(), view(r.in[1], m, cols), threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::spmm_backward_values(r.d_in[0].data(), pattern->view(),
                                                    view(r.d_out[0], n, cols),
                                                    view(r.in[1], m, cols), threads);
                          cpu::spmm_backward_x(view(r.d_in[1], m, cols), transposed->view(),
                                               r.in[0].data(), view(r.d_out[0], n, cols), threads);
                        }}},
          .forward_work = {.flops = flops},
          .backward_work = {.flops = 2 * flops}};
}

std::vector<Case> edge_dot_cases() {
  const auto dense = [](std::string name, int64_t n, int64_t d, SharedPattern pattern) {
    return edge_dot_case(name, DenseRows{n, d}, uniform(n + d, n * d), pattern);
  };
  const auto sparse = [](std::string name, SharedPattern z, SharedPattern pattern) {
    return edge_dot_case(name, SparseRows(z), uniform(1, z->nnz()), pattern);
  };
  return {dense("17x5", 17, 5, random_pattern(1, 17, 17, 4)),
          dense("all pairs", 6, 9, full_pattern(6, 6)),
          dense("one row", 1, 3, full_pattern(1, 1)),
          dense("no pairs", 5, 3, empty_pattern(5, 5)),
          dense("301x41", 301, 41, random_pattern(2, 301, 301, 12)),
          sparse("sparse 17x11", random_pattern(1, 17, 11, 4), random_pattern(1, 17, 17, 4)),
          sparse("sparse all pairs", random_pattern(2, 6, 9, 5), full_pattern(6, 6)),
          sparse("sparse no entries", empty_pattern(6, 4), full_pattern(6, 6)),
          sparse("sparse no pairs", random_pattern(3, 5, 7, 3), empty_pattern(5, 5)),
          sparse("sparse 301x97", random_pattern(5, 301, 97, 8), random_pattern(2, 301, 301, 12))};
}

std::vector<Case> edge_exp_cases() {
  return {edge_exp_case("23x19, empty rows", random_pattern(1, 23, 19, 5)),
          edge_exp_case("one pair", full_pattern(1, 1)),
          edge_exp_case("no entries", empty_pattern(4, 4))};
}

std::vector<Case> edge_softmax_cases() {
  return {edge_softmax_case("23x19, empty rows", random_pattern(1, 23, 19, 5), 2),
          edge_softmax_case("sharp rows", random_pattern(1, 9, 9, 5), 60),
          edge_softmax_case("one pair", full_pattern(1, 1), 1),
          edge_softmax_case("no entries", empty_pattern(4, 4), 1)};
}

std::vector<Case> spmm_cases() {
  return {spmm_case("23x19 x 7, empty rows", random_pattern(1, 23, 19, 5), 7),
          spmm_case("one row", full_pattern(1, 1), 1),
          spmm_case("one column", random_pattern(2, 13, 11, 4), 1),
          spmm_case("no entries", empty_pattern(4, 5), 3),
          spmm_case("no rows", empty_pattern(0, 5), 3),
          spmm_case("301x257 x 33", random_pattern(3, 301, 257, 12), 33)};
}

}  // namespace

std::vector<Op> edge_ops() {
  constexpr int64_t kRows = 3000, kPerRow = 20;
  return {
      {"edge_dot", edge_dot_cases,
       [] {
         const SharedPattern z = random_pattern(1, 2000, 1433, 18),
                             graph = random_graph(2, 2000, 20);
         return std::vector{
             edge_dot_case("2000x256, 20 a row", DenseRows{2000, 256}, uniform(1, 2000 * 256),
                           graph),
             edge_dot_case("sparse 2000x1433", SparseRows(z), uniform(1, z->nnz()), graph)};
       }},
      {"graph_learn_draw", draw_cases,
       [] {
         return std::vector{draw_case("1000x64, k 10", DenseRows{1000, 64}, uniform(1, 64000), 10,
                                      false, empty_pattern(0, 0))};
       }},
      {"edge_exp", edge_exp_cases,
       [] {
         return std::vector{edge_exp_case("3000, 20 a row", random_graph(1, kRows, kPerRow))};
       }},
      {"edge_softmax", edge_softmax_cases,
       [] {
         return std::vector{
             edge_softmax_case("3000, 20 a row", random_graph(1, kRows, kPerRow), 1)};
       }},
      {"spmm", spmm_cases,
       [] {
         return std::vector{spmm_case("3000, 20 a row, x 32", random_graph(1, kRows, kPerRow), 32)};
       }},
  };
}

}  // namespace glgnn::op_check
