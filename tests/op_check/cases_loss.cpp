// Cases of the losses, of the network of graphs, and of Adam.
#include <cmath>
#include <string>

#include "check.h"
#include "kernels/dense.h"
#include "kernels/graph_network.h"
#include "kernels/losses.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

// Every second row has a label and counts, or none does.
Case cross_entropy_case(std::string name, int64_t n, int64_t classes, double size) {
  std::vector<int32_t> labels(n), rows;
  for (int64_t i = 0; i < n; ++i) {
    labels[i] = static_cast<int32_t>((3 * i + 1) % classes);
    if (i % 2 == 0) rows.push_back(static_cast<int32_t>(i));
  }
  return {.name = name,
          .in = {{"x", uniform(1, n * classes, -size, size)}},
          .out = {{"loss", 1}},
          .forward =
              [=]<class T>(Run<T>& r) {
                r.out[0][0] = static_cast<T>(
                    ref::cross_entropy_forward<T>(view(r.in[0], n, classes), rows, labels.data()));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::cross_entropy_backward<T>(view(r.d_in[0], n, classes), r.d_out[0][0],
                                               view(r.in[0], n, classes), rows, labels.data());
              },
          .oracle =
              [=](Run<double>& r) {
                double sum = 0;
                for (const int32_t i : rows) {
                  double all = 0;
                  for (int64_t c = 0; c < classes; ++c) all += std::exp(r.in[0][i * classes + c]);
                  sum -= std::log(std::exp(r.in[0][i * classes + labels[i]]) / all);
                }
                r.out[0][0] = sum / static_cast<double>(rows.size());
              },
          .forward_work = {.bytes = 2.0 * n * classes},
          .backward_work = {.bytes = 6.0 * n * classes}};
}

Case sparse_l1_case(std::string name, SharedPattern first, SharedPattern second,
                    std::vector<double> a, std::vector<double> b) {
  const double nnz = static_cast<double>(first->nnz() + second->nnz());
  return {
      .name = name,
      .in = {{"a", a}, {"b", b}},
      .out = {{"loss", 1}},
      .forward =
          [=]<class T>(Run<T>& r) {
            r.out[0][0] = static_cast<T>(ref::sparse_l1_forward<T>(first->view(), r.in[0].data(),
                                                                   second->view(), r.in[1].data()));
          },
      .backward =
          [=]<class T>(Run<T>& r) {
            ref::sparse_l1_backward<T>(r.d_in[0].data(), r.d_in[1].data(), r.d_out[0][0],
                                       first->view(), r.in[0].data(), second->view(),
                                       r.in[1].data());
          },
      .backends = {{"cpu",
                    [=](Run<float>& r, int threads) {
                      r.out[0][0] = static_cast<float>(cpu::sparse_l1_forward(
                          first->view(), r.in[0].data(), second->view(), r.in[1].data(), threads));
                    },
                    [=](Run<float>& r, int threads) {
                      cpu::sparse_l1_backward(r.d_in[0].data(), r.d_in[1].data(), r.d_out[0][0],
                                              first->view(), r.in[0].data(), second->view(),
                                              r.in[1].data(), threads);
                    }}},
      .oracle =
          [=](Run<double>& r) {
            double sum = 0;
            for (int64_t i = 0; i < first->rows; ++i) {
              for (int64_t j = 0; j < first->cols; ++j) {
                const int64_t p = find_entry(first->view(), i, j);
                const int64_t q = find_entry(second->view(), i, j);
                sum += std::abs((p < 0 ? 0.0 : r.in[0][p]) - (q < 0 ? 0.0 : r.in[1][q]));
              }
            }
            r.out[0][0] = sum;
          },
      .forward_work = {.bytes = 8 * nnz},
      .backward_work = {.bytes = 16 * nnz}};
}

Case sparse_l1_apart_case(std::string name, SharedPattern first, SharedPattern second) {
  return sparse_l1_case(name, first, second, apart(1, first->view(), 0),
                        apart(1, second->view(), 1));
}

// Where a = b the gradient is 0 by definition.
Case sparse_l1_equal_case() {
  const SharedPattern pattern = random_pattern(3, 9, 7, 4);
  const std::vector<double> values = uniform(2, pattern->nnz());
  Case c = sparse_l1_case("equal", pattern, pattern, values, values);
  c.oracle_backward = [](Run<double>&) {};
  return c;
}

Case sum_squares_case(std::string name, int64_t n) {
  return {.name = name,
          .in = {{"x", uniform(1, n)}},
          .out = {{"loss", 1}},
          .forward =
              [=]<class T>(Run<T>& r) {
                r.out[0][0] = static_cast<T>(ref::sum_squares_forward<T>(r.in[0].data(), n));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::sum_squares_backward<T>(r.d_in[0].data(), r.d_out[0][0], r.in[0].data(), n);
              },
          .forward_work = {.bytes = 4.0 * n},
          .backward_work = {.bytes = 12.0 * n}};
}

// U matrices of n x cols, the first inputs of a case.
struct Modules {
  int64_t count, n, cols;

  std::vector<Input> inputs() const {
    std::vector<Input> out;
    for (int64_t u = 0; u < count; ++u) {
      out.push_back({std::string("x").append(std::to_string(u)), uniform(10 + u, n * cols)});
    }
    return out;
  }
  template <class T>
  std::vector<MatView<const T>> views(const std::vector<std::vector<T>>& in) const {
    std::vector<MatView<const T>> out;
    for (int64_t u = 0; u < count; ++u) out.push_back(view(in[u], n, cols));
    return out;
  }
  // Null where the input has no gradient.
  template <class T>
  std::vector<MatView<T>> gradients(std::vector<std::vector<T>>& d_in, int64_t without) const {
    std::vector<MatView<T>> out;
    for (int64_t u = 0; u < count; ++u) {
      out.push_back(u == without ? MatView<T>{} : view(d_in[u], n, cols));
    }
    return out;
  }
};

// a has n rows or one; input `without` (a is number U) has no gradient.
Case network_alpha_case(std::string name, Modules m, int64_t a_rows, int64_t without = -1) {
  Case c{.name = name,
         .in = m.inputs(),
         .out = {{"alpha", m.count * m.count}},
         .forward =
             [=]<class T>(Run<T>& r) {
               ref::network_alpha_forward<T>(view(r.out[0], m.count, m.count), m.views(r.in),
                                             view(r.in[m.count], a_rows, m.cols));
             },
         .backward =
             [=]<class T>(Run<T>& r) {
               const MatView<T> d_a = view(r.d_in[m.count], a_rows, m.cols);
               ref::network_alpha_backward<T>(m.gradients(r.d_in, without),
                                              without == m.count ? MatView<T>{} : d_a,
                                              view(r.d_out[0], m.count, m.count), m.views(r.in),
                                              view(r.in[m.count], a_rows, m.cols));
             },
         .backends = {{"cpu",
                       [=](Run<float>& r, int threads) {
                         cpu::network_alpha_forward(view(r.out[0], m.count, m.count), m.views(r.in),
                                                    view(r.in[m.count], a_rows, m.cols), threads);
                       },
                       [=](Run<float>& r, int threads) {
                         const MatView<float> d_a = view(r.d_in[m.count], a_rows, m.cols);
                         cpu::network_alpha_backward(m.gradients(r.d_in, without),
                                                     without == m.count ? MatView<float>{} : d_a,
                                                     view(r.d_out[0], m.count, m.count),
                                                     m.views(r.in),
                                                     view(r.in[m.count], a_rows, m.cols), threads);
                       }}},
         .forward_work = {.flops = 1.5 * m.count * (m.count + 1) * m.n * m.cols},
         .backward_work = {.flops = 6.0 * m.count * m.count * m.n * m.cols}};
  c.in.push_back({"a", uniform(2, a_rows * m.cols)});
  if (without >= 0) c.in[without].gradient = false;
  return c;
}

Case network_mix_case(std::string name, Modules m, int64_t without = -1) {
  Case c{.name = name,
         .in = m.inputs(),
         .out = {{"y", m.n * m.cols}},
         .forward =
             [=]<class T>(Run<T>& r) {
               ref::network_mix_forward<T>(view(r.out[0], m.n, m.cols), m.views(r.in),
                                           r.in[m.count].data());
             },
         .backward =
             [=]<class T>(Run<T>& r) {
               ref::network_mix_backward<T>(m.gradients(r.d_in, without),
                                            without == m.count ? nullptr : r.d_in[m.count].data(),
                                            view(r.d_out[0], m.n, m.cols), m.views(r.in),
                                            r.in[m.count].data());
             },
         .backends = {{"cpu",
                       [=](Run<float>& r, int threads) {
                         cpu::network_mix_forward(view(r.out[0], m.n, m.cols), m.views(r.in),
                                                  r.in[m.count].data(), threads);
                       },
                       [=](Run<float>& r, int threads) {
                         cpu::network_mix_backward(
                             m.gradients(r.d_in, without),
                             without == m.count ? nullptr : r.d_in[m.count].data(),
                             view(r.d_out[0], m.n, m.cols), m.views(r.in), r.in[m.count].data(),
                             threads);
                       }}},
         .forward_work = {.flops = 2.0 * m.count * m.n * m.cols},
         .backward_work = {.flops = 4.0 * m.count * m.n * m.cols}};
  c.in.push_back({"weight", uniform(2, m.count)});
  if (without >= 0) c.in[without].gradient = false;
  return c;
}

Case adam_case(std::string name, int64_t n, int64_t t) {
  constexpr double kRate = 0.01;
  const bool first = t == 1;
  const std::vector<double> zero(n, 0.0);
  return {.name = name,
          .in = {{"x", uniform(1, n), false},
                 {"m", first ? zero : uniform(2, n), false},
                 {"v", first ? zero : uniform(3, n, 0.01, 1), false},
                 {"g", away_from_zero(4, n), false}},
          .out = {{"x", n}, {"m", n}, {"v", n}, {"step", n}},
          .forward =
              [=]<class T>(Run<T>& r) {
                for (int64_t o = 0; o < 3; ++o) r.out[o] = r.in[o];
                ref::adam_step<T>(r.out[0].data(), r.out[1].data(), r.out[2].data(), r.in[3].data(),
                                  n, kRate, t);
                // Again from x = 0: what x moves by, which next to x itself would not be seen.
                std::vector<T> m = r.in[1], v = r.in[2];
                r.out[3].assign(n, T(0));
                ref::adam_step<T>(r.out[3].data(), m.data(), v.data(), r.in[3].data(), n, kRate, t);
              },
          .no_gradient = "nothing is differentiated through an update",
          .oracle =
              [=](Run<double>& r) {
                for (int64_t i = 0; i < n; ++i) {
                  const double g = r.in[3][i];
                  const double m = 0.9 * r.in[1][i] + 0.1 * g;
                  const double v = 0.999 * r.in[2][i] + 0.001 * g * g;
                  const double step = kRate * (m / (1 - std::pow(0.9, t))) /
                                      (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
                  r.out[0][i] = r.in[0][i] - step;
                  r.out[1][i] = m;
                  r.out[2][i] = v;
                  r.out[3][i] = -step;
                }
              },
          .forward_work = {.bytes = 2 * 28.0 * n}};
}

std::vector<Case> cross_entropy_cases() {
  return {cross_entropy_case("13x7", 13, 7, 2), cross_entropy_case("one row", 1, 3, 1),
          cross_entropy_case("one class", 5, 1, 1), cross_entropy_case("sharp rows", 9, 4, 30)};
}

std::vector<Case> sparse_l1_cases() {
  const SharedPattern a = random_pattern(1, 23, 19, 5), b = random_pattern(2, 23, 19, 7);
  const SharedPattern none = empty_pattern(23, 19);
  return {sparse_l1_apart_case("23x19, empty rows", a, b),
          sparse_l1_apart_case("same pattern", a, a),
          sparse_l1_apart_case("b empty", a, none),
          sparse_l1_apart_case("a empty", none, b),
          sparse_l1_apart_case("both empty", none, none),
          sparse_l1_equal_case(),
          sparse_l1_apart_case("601, 12 and 9 a row", random_pattern(3, 601, 97, 12),
                               random_pattern(4, 601, 97, 9))};
}

std::vector<Case> sum_squares_cases() {
  return {sum_squares_case("37", 37), sum_squares_case("1", 1), sum_squares_case("none", 0)};
}

std::vector<Case> network_alpha_cases() {
  const Modules m{4, 13, 3};
  return {network_alpha_case("4 of 13x3", m, 13),
          network_alpha_case("4 of 13x3, shared a", m, 1),
          network_alpha_case("one module", {1, 5, 2}, 5),
          network_alpha_case("one row", {3, 1, 2}, 1),
          network_alpha_case("without d_x1", m, 13, 1),
          network_alpha_case("without d_a", m, 13, 4),
          network_alpha_case("2 of 1601x7", {2, 1601, 7}, 1601)};
}

std::vector<Case> network_mix_cases() {
  const Modules m{4, 13, 3};
  return {network_mix_case("4 of 13x3", m), network_mix_case("one module", {1, 5, 2}),
          network_mix_case("without d_x2", m, 2), network_mix_case("without d_weight", m, 4),
          network_mix_case("2 of 1601x7", {2, 1601, 7})};
}

std::vector<Case> adam_cases() {
  return {adam_case("37, step 1", 37, 1), adam_case("37, step 2", 37, 2),
          adam_case("37, step 1000", 37, 1000), adam_case("none", 0, 1)};
}

}  // namespace

std::vector<Op> loss_ops() {
  return {
      {"cross_entropy", cross_entropy_cases,
       [] { return std::vector{cross_entropy_case("2708x7", 2708, 7, 1)}; }},
      {"sparse_l1", sparse_l1_cases,
       [] {
         return std::vector{sparse_l1_apart_case("3000, 20 and 20 a row", random_graph(1, 3000, 20),
                                                 random_graph(2, 3000, 20))};
       }},
      {"sum_squares", sum_squares_cases,
       [] { return std::vector{sum_squares_case("1433x32", 1433 * 32)}; }},
      {"network_alpha", network_alpha_cases,
       [] {
         return std::vector{network_alpha_case("4 of 2708x7", {4, 2708, 7}, 2708),
                            network_alpha_case("4 of 2708x7, shared a", {4, 2708, 7}, 1)};
       }},
      {"network_mix", network_mix_cases,
       [] {
         return std::vector{network_mix_case("4 of 2708x7", {4, 2708, 7})};
       }},
      {"adam", adam_cases, [] { return std::vector{adam_case("1433x32", 1433 * 32, 10)}; }},
  };
}

}  // namespace glgnn::op_check
