// Cases of the ops that do two steps in one so as to keep less: dropout with a product, and feature
// selection with the dots of chosen pairs.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "check.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/layers.h"
#include "kernels/losses.h"
#include "kernels/propagate.h"
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
  Case c = {
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
  return with_cuda(
      std::move(c),
      [=](Run<float>& r, int) {
        cuda::two_layers_forward(view(r.out[0], s.rows, classes), view(r.out[1], s.rows, s.units),
                                 layers_of(r, s, classes));
      },
      [=](Run<float>& r, int) {
        cuda::two_layers_backward(
            layers_gradient(r, s, classes), view(std::as_const(r.d_out[0]), s.rows, classes),
            view(std::as_const(r.out[1]), s.rows, s.units), layers_of(r, s, classes));
      });
}

// Some epochs of a head over a graph, or over none: the parameters afterwards, and the logits.
struct HeadCase {
  LayerShape shape;
  int64_t classes;
  SharedPattern graph = {};  // null: no propagation
  int64_t epochs = 3;
  float consistency = 0.4f, decay = 0.01f, alpha = 0.2f;
  int64_t steps() const { return graph ? 3 : 0; }
};

template <class T>
TwoLayers<T> layers_now(Run<T>& r, const HeadCase& h, T rate) {
  TwoLayers<T> layers = layers_of(r, h.shape, h.classes);
  layers.w1.data = r.out[0].data();
  layers.b1 = r.out[1].data();
  layers.w2.data = r.out[2].data();
  layers.b2 = r.out[3].data();
  layers.rate = rate;
  return layers;
}

template <class T>
void train_head(Run<T>& r, const HeadCase& h) {
  const LayerShape& s = h.shape;
  const int64_t n = s.rows, classes = h.classes;
  std::vector<std::vector<T>> gradient, mean, square;
  for (int64_t p = 0; p < 4; ++p) {
    r.out[p] = r.in[1 + p];
    for (auto* list : {&gradient, &mean, &square}) list->emplace_back(r.out[p].size(), T(0));
  }
  const auto propagate = [&](std::vector<T>& z, const std::vector<T>& from) {
    z = from;
    if (!h.graph) return;
    ref::propagate<T>(view(z, n, classes), h.graph->view(), r.in[7].data(), view(from, n, classes),
                      h.steps(), T(h.alpha));
  };
  std::vector<T> hidden(n * s.units), o(n * classes), z, d_o;
  for (int64_t epoch = 1; epoch <= h.epochs; ++epoch) {
    const TwoLayers<T> now = layers_now(r, h, T(s.rate));
    ref::two_layers_forward<T>(view(o, n, classes), view(hidden, n, s.units), now);
    propagate(z, o);
    std::vector<T> d_z(n * classes, T(0));
    ref::soft_pull<T>(view(d_z, n, classes), view(std::as_const(z), n, classes),
                      view(std::as_const(r.in[5]), n, classes), r.in[6].data(), T(h.consistency));
    propagate(d_o, d_z);
    ref::two_layers_backward<T>({view(gradient[0], s.features, s.units), gradient[1].data(),
                                 view(gradient[2], s.units, classes), gradient[3].data()},
                                view(std::as_const(d_o), n, classes),
                                view(std::as_const(hidden), n, s.units), now);
    ref::sum_squares_backward<T>(gradient[0].data(), T(0.5) * T(h.decay), r.out[0].data(),
                                 std::ssize(r.out[0]));
    for (int64_t p = 0; p < 4; ++p) {
      ref::adam_step<T>(r.out[p].data(), mean[p].data(), square[p].data(), gradient[p].data(),
                        std::ssize(r.out[p]), 0.02, epoch);
      std::fill(gradient[p].begin(), gradient[p].end(), T(0));
    }
  }
  ref::two_layers_forward<T>(view(o, n, classes), view(hidden, n, s.units), layers_now(r, h, T(0)));
  propagate(r.out[4], o);
  ref::row_softmax_forward<T>(view(r.out[5], n, classes),
                              view(std::as_const(r.out[4]), n, classes));
}

void train_head_on_cuda(Run<float>& r, const HeadCase& h) {
  const LayerShape& s = h.shape;
  const auto matrix = [&](int64_t p, int64_t rows, int64_t cols) {
    Matrix m(rows, cols);
    std::copy_n(r.in[p].data(), m.size(), m.data());
    return m;
  };
  const TwoLayers<float> layers = layers_of(r, s, h.classes);
  const cuda::HeldMatrix x(layers.x);
  std::optional<cuda::HeldGraph> over;
  if (h.graph) over.emplace(h.graph->view(), r.in[7].data());
  cuda::HeldHead head(x, x, over ? &*over : nullptr,
                      {matrix(1, s.features, s.units), matrix(2, 1, s.units),
                       matrix(3, s.units, h.classes), matrix(4, 1, h.classes)},
                      {.targets = view(std::as_const(r.in[5]), s.rows, h.classes),
                       .weights = r.in[6].data(),
                       .rate = s.rate,
                       .weight_decay = h.decay,
                       .learning_rate = 0.02,
                       .steps = h.steps(),
                       .alpha = h.alpha});
  for (int64_t epoch = 1; epoch <= h.epochs; ++epoch) {
    head.train_epoch(epoch, h.consistency, layers.input, layers.inner);
  }
  head.keep();
  head.train_epoch(h.epochs + 1, h.consistency, layers.input, layers.inner);
  head.go_back();
  const cuda::HeadParameters now = head.parameters();
  const Matrix logits = head.logits();
  std::vector<int32_t> all(s.rows);
  std::iota(all.begin(), all.end(), 0);
  const Matrix looked = head.look(all);
  const Matrix* const parts[] = {&now.w1, &now.b1, &now.w2, &now.b2, &logits, &looked};
  for (size_t p = 0; p < std::size(parts); ++p) {
    std::copy_n(parts[p]->data(), parts[p]->size(), r.out[p].data());
  }
}

Case held_head_case(std::string name, HeadCase h) {
  Case c = two_layers_case(std::move(name), h.shape, h.classes);
  const LayerShape& s = h.shape;
  c.in.push_back({"targets", uniform(6, s.rows * h.classes, 0, 1)});
  c.in.push_back({"weights", uniform(7, s.rows, 0.1, 1)});
  c.in.push_back({"edges", uniform(8, h.graph ? h.graph->nnz() : 0, 0, 0.2)});
  c.out = {{"w1", s.features * s.units},   {"b1", s.units},
           {"w2", s.units * h.classes},    {"b2", h.classes},
           {"logits", s.rows * h.classes}, {"look", s.rows * h.classes}};
  c.forward = [=]<class T>(Run<T>& r) { train_head(r, h); };
  c.backward = {};
  c.no_gradient = "it is a training";
  c.backends.clear();
  c.naive_limit = 1e-4;  // Adam divides gradients by their own size
  return with_cuda(std::move(c), [=](Run<float>& r, int) { train_head_on_cuda(r, h); });
}

std::vector<Case> held_head_cases() {
  return {held_head_case("alone", {{37, 5, 7, 0.3f}, 3}),
          held_head_case("nothing dropped", {{37, 5, 7, 0.0f}, 3}),
          held_head_case("over a graph", {{61, 9, 8, 0.3f}, 4, random_graph(1, 61, 6)}),
          held_head_case("17 classes", {{61, 8, 12, 0.3f}, 17, random_graph(3, 61, 6)}),
          held_head_case("1301 rows", {{1301, 20, 64, 0.3f}, 10, random_graph(2, 1301, 8)})};
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

// A pattern with as many columns as rows is of one set of rows, else its columns are other rows.
template <class T>
ZSelected<T> selected(Run<T>& r, const Pattern& pattern, int64_t features, int64_t classes) {
  const int64_t n = pattern.rows, others = pattern.cols;
  const ZSelected<T> z{view(r.in[0], n, features), r.in[1].data(), view(r.in[2], n, classes)};
  if (n == others) return z;
  return {z.x, z.s, z.labels, view(r.in[3], others, features), view(r.in[4], others, classes)};
}

Case selected_dot_case(std::string name, SharedPattern pattern, int64_t features, int64_t classes) {
  const int64_t n = pattern->rows, others = n == pattern->cols ? 0 : pattern->cols;
  const double flops = 2.0 * pattern->nnz() * features;
  return {.name = name,
          .in = {{"x", uniform(1, n * features), false},
                 {"s", uniform(2, features)},
                 {"labels", uniform(3, n * classes), false},
                 {"x of the columns", uniform(4, others * features), false},
                 {"labels of the columns", uniform(5, others * classes), false}},
          .out = {{"dots", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::selected_dot_forward<T>(r.out[0].data(), pattern->view(),
                                             selected(r, *pattern, features, classes));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::selected_dot_backward<T>(r.d_in[1].data(), r.d_out[0].data(), pattern->view(),
                                              selected(r, *pattern, features, classes));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::selected_dot_forward(r.out[0].data(), pattern->view(),
                                                    selected(r, *pattern, features, classes),
                                                    threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::selected_dot_backward(
                              r.d_in[1].data(), r.d_out[0].data(), pattern->view(),
                              selected(r, *pattern, features, classes), threads);
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
          selected_dot_case("columns are other rows", random_pattern(8, 23, 14, 5), 9, 3),
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
          {"held_head", held_head_cases,
           [] {
             return std::vector{held_head_case(
                 "5000x20, 64 units", {{5000, 20, 64, 0.3f}, 3, random_graph(1, 5000, 10)})};
           }},
          {"selected_dot", selected_dot_cases, [] {
             return std::vector{
                 selected_dot_case("1797 rows, 64 features", random_graph(1, 1797, 20), 64, 10)};
           }}};
}

}  // namespace glgnn::op_check
