// Cases of the ops that do two steps in one so as to keep less: dropout with a product, and feature
// selection with the dots of chosen pairs.
#include <memory>
#include <utility>

#include "check.h"
#include "kernels/edges.h"
#include "kernels/layers.h"
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

// Hidden units are far from 0: their biases are 1 or -1 and all else adds less than a half.
template <class T>
TwoLayers<T> layers_of(Run<T>& r, const LayerShape& s, int64_t classes) {
  return {view(std::as_const(r.in[0]), s.rows, s.features),
          view(std::as_const(r.in[1]), s.features, s.units),
          r.in[2].data(),
          view(std::as_const(r.in[3]), s.units, classes),
          r.in[4].data(),
          T(s.rate),
          {.seed = 5, .stream = Stream::kDropInput, .owner = 1, .step = 7},
          {.seed = 5, .stream = Stream::kDropHidden, .owner = 1, .step = 7}};
}

template <class T>
TwoLayersGradient<T> layers_gradient(Run<T>& r, const LayerShape& s, int64_t classes) {
  return {view(r.d_in[1], s.features, s.units), r.d_in[2].data(), view(r.d_in[3], s.units, classes),
          r.d_in[4].data()};
}

Case two_layers_case(std::string name, LayerShape s, int64_t classes, bool heavy = false) {
  std::vector<double> w1 = uniform(2, s.features * s.units), b1(s.units);
  for (double& w : w1) {
    w = static_cast<float>(0.4 * w * (1 - double{s.rate}) / static_cast<double>(s.features));
  }
  for (int64_t u = 0; u < s.units; ++u) b1[u] = u % 3 == 0 ? -1 : 1;
  const auto kept = std::make_shared<std::vector<uint64_t>>(
      static_cast<size_t>(cpu::two_layers_words(s.rows, s.features)));
  const double flops = 2.0 * s.rows * s.units * (s.features + classes);
  return {
      .name = name,
      .in = {{"x", uniform(1, s.rows * s.features), false},
             {"w1", w1},
             {"b1", b1},
             {"w2", uniform(3, s.units * classes)},
             {"b2", uniform(4, classes)}},
      .out = {{"o", s.rows * classes}, {"h", s.rows * s.units, false}},
      .forward =
          [=]<class T>(Run<T>& r) {
            ref::two_layers_forward<T>(view(r.out[0], s.rows, classes),
                                       view(r.out[1], s.rows, s.units), layers_of(r, s, classes));
          },
      .backward =
          [=]<class T>(Run<T>& r) {
            ref::two_layers_backward<T>(
                layers_gradient(r, s, classes), view(std::as_const(r.d_out[0]), s.rows, classes),
                view(std::as_const(r.out[1]), s.rows, s.units), layers_of(r, s, classes));
          },
      .backends = {{"cpu",
                    [=](Run<float>& r, int threads) {
                      cpu::two_layers_forward(view(r.out[0], s.rows, classes),
                                              view(r.out[1], s.rows, s.units), kept->data(),
                                              layers_of(r, s, classes), threads);
                    },
                    [=](Run<float>& r, int threads) {
                      cpu::two_layers_backward(layers_gradient(r, s, classes),
                                               view(std::as_const(r.d_out[0]), s.rows, classes),
                                               view(std::as_const(r.out[1]), s.rows, s.units),
                                               kept->data(), layers_of(r, s, classes), threads);
                    }}},
      .heavy = heavy,
      .forward_work = {.flops = flops},
      .backward_work = {.flops = 2 * flops}};
}

std::vector<Case> two_layers_cases() {
  return {two_layers_case("13x5, 7 units, 3 classes", {13, 5, 7}, 3),
          two_layers_case("nothing dropped", {13, 5, 7, 0.0f}, 3),
          two_layers_case("one row", {1, 3, 4, 0.2f}, 2),
          two_layers_case("no rows", {0, 3, 4}, 2),
          two_layers_case("1301x11, 19 units: several blocks", {1301, 11, 19, 0.3f}, 4, true),
          two_layers_case("700x130, 32 units: short blocks", {700, 130, 32, 0.3f}, 4, true),
          two_layers_case("5000x3, 8 units: pieces of blocks", {5000, 3, 8, 0.6f}, 2, true)};
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
          {"two_layers", two_layers_cases,
           [] {
             return std::vector{two_layers_case("5000x20, 64 units", {5000, 20, 64, 0.3f}, 3)};
           }},
          {"selected_dot", selected_dot_cases, [] {
             return std::vector{
                 selected_dot_case("1797 rows, 64 features", random_graph(1, 1797, 20), 64, 10)};
           }}};
}

}  // namespace glgnn::op_check
