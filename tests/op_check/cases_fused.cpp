// Cases of the ops that do two steps in one so as to keep less: dropout with a product, and feature
// selection with the dots of chosen pairs.
#include "check.h"
#include "kernels/dropout_linear.h"
#include "kernels/selected_dot.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

struct LayerShape {
  int64_t rows, features, units;
  float rate = 0.5f;
};

Case dropout_linear_case(std::string name, LayerShape s, bool heavy = false) {
  const Rng rng{.seed = 5, .stream = Stream::kDropInput, .owner = 1, .step = 7};
  const double flops = 2.0 * s.rows * s.features * s.units;
  return {.name = name,
          .in = {{"x", uniform(1, s.rows * s.features), false},
                 {"w", uniform(2, s.features * s.units)}},
          .out = {{"y", s.rows * s.units}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::dropout_linear_forward<T>(view(r.out[0], s.rows, s.units),
                                               view(r.in[0], s.rows, s.features),
                                               view(r.in[1], s.features, s.units), T(s.rate), rng);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::dropout_linear_backward<T>(view(r.d_in[1], s.features, s.units),
                                                view(r.d_out[0], s.rows, s.units),
                                                view(r.in[0], s.rows, s.features), T(s.rate), rng);
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::dropout_linear_forward(
                              view(r.out[0], s.rows, s.units), view(r.in[0], s.rows, s.features),
                              view(r.in[1], s.features, s.units), s.rate, rng, threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::dropout_linear_backward(view(r.d_in[1], s.features, s.units),
                                                       view(r.d_out[0], s.rows, s.units),
                                                       view(r.in[0], s.rows, s.features), s.rate,
                                                       rng, threads);
                        }}},
          .heavy = heavy,
          .forward_work = {.flops = flops},
          .backward_work = {.flops = flops}};
}

template <class T>
ZSelected<T> selected(Run<T>& r, int64_t n, int64_t features, int64_t classes) {
  return {view(r.in[0], n, features), r.in[1].data(), view(r.in[2], n, classes)};
}

Case selected_dot_case(std::string name, SharedPattern pattern, int64_t features, int64_t classes) {
  const int64_t n = pattern->rows;
  const double flops = 2.0 * pattern->nnz() * features;
  return {.name = name,
          .in = {{"x", uniform(1, n * features), false},
                 {"s", uniform(2, features)},
                 {"labels", uniform(3, n * classes), false}},
          .out = {{"dots", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::selected_dot_forward<T>(r.out[0].data(), pattern->view(),
                                             selected(r, n, features, classes));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::selected_dot_backward<T>(r.d_in[1].data(), r.d_out[0].data(), pattern->view(),
                                              selected(r, n, features, classes));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::selected_dot_forward(r.out[0].data(), pattern->view(),
                                                    selected(r, n, features, classes), threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::selected_dot_backward(r.d_in[1].data(), r.d_out[0].data(),
                                                     pattern->view(),
                                                     selected(r, n, features, classes), threads);
                        }}},
          .forward_work = {.flops = flops},
          .backward_work = {.flops = flops}};
}

std::vector<Case> dropout_linear_cases() {
  const int64_t block = cpu::dropout_block_rows(20000);
  return {dropout_linear_case("13x7x5", {13, 7, 5}),
          dropout_linear_case("one number", {1, 1, 1}),
          dropout_linear_case("rate 0", {9, 5, 3, 0.0f}),
          dropout_linear_case("rate 0.3", {37, 11, 4, 0.3f}),
          dropout_linear_case("no rows", {0, 4, 2}),
          dropout_linear_case("several blocks", {2 * block + 3, 20000, 2}, true)};
}

std::vector<Case> selected_dot_cases() {
  return {selected_dot_case("31 rows, 7 features, 3 classes", random_graph(4, 31, 5), 7, 3),
          selected_dot_case("no labels", random_graph(5, 19, 4), 9, 0),
          selected_dot_case("one feature", random_graph(6, 11, 3), 1, 2),
          selected_dot_case("no entries", empty_pattern(6, 6), 5, 2),
          selected_dot_case("all pairs and the diagonal", full_pattern(9, 9), 33, 2),
          selected_dot_case("301 rows", random_graph(7, 301, 11), 65, 3)};
}

}  // namespace

std::vector<Op> fused_ops() {
  return {{"dropout_linear", dropout_linear_cases,
           [] {
             return std::vector{dropout_linear_case("2708x1433x32", {2708, 1433, 32})};
           }},
          {"selected_dot", selected_dot_cases, [] {
             return std::vector{
                 selected_dot_case("1797 rows, 64 features", random_graph(1, 1797, 20), 64, 10)};
           }}};
}

}  // namespace glgnn::op_check
