// Heads of two layers on the device: products in tiles, with dropout where numbers are read and
// biases, relu and dropout where sums are done (products.cuh).
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "kernels/cuda/products.cuh"
#include "kernels/layers.h"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;

int blocks_of(int64_t numbers) { return static_cast<int>((numbers + kThreads - 1) / kThreads); }

// The sizes of all, and where the numbers are on the device.
struct Layers {
  int64_t rows, features, units, classes;
  const float *x, *w1, *b1, *w2, *b2;
  Drop input, inner;
};

struct FinishHidden {
  float* h;
  int64_t units;
  const float* bias;
  Drop drop;
  __device__ void operator()(int64_t i, int64_t u, float sum) const {
    const int64_t at = i * units + u;
    h[at] = drop(fmaxf(sum + bias[u], 0.0f), at);
  }
};

struct FinishBias {
  float* out;
  int64_t cols;
  const float* bias;
  __device__ void operator()(int64_t i, int64_t c, float sum) const {
    out[i * cols + c] = sum + bias[c];
  }
};

// The gradient of the hidden units: scaled where they are not 0.
struct FinishPull {
  float* d_h;
  const float* h;
  int64_t units;
  float scale;
  __device__ void operator()(int64_t i, int64_t u, float sum) const {
    const int64_t at = i * units + u;
    d_h[at] = h[at] != 0 ? sum * scale : 0.0f;
  }
};

struct Add {
  float* out;
  __device__ void operator()(int64_t e, float sum) const { out[e] += sum; }
};

void forward(float* o, float* h, const Layers& l) {
  product(Dropped{l.x, l.features, l.input}, Plain{l.w1, l.units}, {l.rows, l.features, l.units},
          FinishHidden{h, l.units, l.b1, l.inner});
  product(Plain{h, l.units}, Plain{l.w2, l.classes}, {l.rows, l.units, l.classes},
          FinishBias{o, l.classes, l.b2});
}

struct Gradients {
  float *w1, *b1, *w2, *b2;
};

// `d_h` is room for the gradient of the hidden units.
void backward(const Gradients& d, float* d_h, const float* d_o, const float* h, const Layers& l) {
  product(Plain{d_o, l.classes}, Transposed{l.w2, l.classes}, {l.rows, l.classes, l.units},
          FinishPull{d_h, h, l.units, l.input.scale});
  transposed_product(Plain{h, l.units}, Plain{d_o, l.classes}, {l.units, l.rows, l.classes},
                     Add{d.w2});
  transposed_product(Ones{}, Plain{d_o, l.classes}, {1, l.rows, l.classes}, Add{d.b2});
  transposed_product(Dropped{l.x, l.features, l.input}, Plain{d_h, l.units},
                     {l.features, l.rows, l.units}, Add{d.w1});
  transposed_product(Ones{}, Plain{d_h, l.units}, {1, l.rows, l.units}, Add{d.b1});
}

// Softmax and its sharpened form are made anew where they are read: there are few classes.
__global__ void soft_pull(float* d_x, const float* x, const float* targets, const float* weights,
                          float consistency, int64_t rows, int64_t classes) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= rows) return;
  const float *row = x + i * classes, *target = targets + i * classes;
  const float weight = weights[i], factor = 2 * consistency / static_cast<float>(rows);
  float top = row[0];
  for (int64_t c = 1; c < classes; ++c) top = fmaxf(top, row[c]);
  float sum = 0, squares = 0, mass = 0, dot = 0;
  for (int64_t c = 0; c < classes; ++c) {
    sum += expf(row[c] - top);
    mass += target[c];
  }
  for (int64_t c = 0; c < classes; ++c) {
    const float p = expf(row[c] - top) / sum;
    squares += p * p;
  }
  for (int64_t c = 0; c < classes; ++c) {
    const float p = expf(row[c] - top) / sum;
    dot += factor * (p - p * p / squares) * p;
  }
  for (int64_t c = 0; c < classes; ++c) {
    const float p = expf(row[c] - top) / sum;
    d_x[i * classes + c] =
        weight * (p * mass - target[c]) + p * (factor * (p - p * p / squares) - dot);
  }
}

// adam_step (kernels/dense.h), with `decay` times x added to the gradient, which is 0 afterwards.
__global__ void adam(float* x, float* m, float* v, float* g, int64_t n, float decay, float step,
                     float scale) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const float pull = fmaf(decay, x[i], g[i]);
  m[i] = 0.9f * m[i] + static_cast<float>(1 - 0.9) * pull;
  v[i] = 0.999f * v[i] + static_cast<float>(1 - 0.999) * pull * pull;
  x[i] -= step * m[i] / (sqrtf(v[i]) * scale + 1e-8f);
  g[i] = 0;
}

// The softmax of row rows[i] of x becomes row i of p.
__global__ void softmax_of_rows(float* p, const float* x, const int32_t* rows, int64_t count,
                                int64_t classes) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const float* const row = x + rows[i] * classes;
  float top = row[0], sum = 0;
  for (int64_t c = 1; c < classes; ++c) top = fmaxf(top, row[c]);
  for (int64_t c = 0; c < classes; ++c) sum += expf(row[c] - top);
  for (int64_t c = 0; c < classes; ++c) p[i * classes + c] = expf(row[c] - top) / sum;
}

void copy_on_device(const DeviceArray<float>& to, const DeviceArray<float>& from) {
  check(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream()),
        "copying on the device");
}

struct Trained {
  DeviceArray<float> value, kept, mean, square, gradient;
  explicit Trained(const Matrix& start)
      : value(start.data(), start.size()),
        kept(start.data(), start.size()),
        mean(start.size()),
        square(start.size()),
        gradient(start.size()) {
    for (auto* zero : {&mean, &square, &gradient}) zero->fill_bytes(0);
  }

  void step(double rate, int64_t epoch, float decay) {
    const int64_t n = value.size();
    const auto size = static_cast<float>(rate / (1 - std::pow(0.9, epoch)));
    const auto scale = static_cast<float>(1 / std::sqrt(1 - std::pow(0.999, epoch)));
    adam<<<blocks_of(n), kThreads, 0, stream()>>>(value.data(), mean.data(), square.data(),
                                                  gradient.data(), n, decay, size, scale);
    check(cudaGetLastError(), "starting a step of Adam");
  }
  Matrix to_host(int64_t rows, int64_t cols) const {
    Matrix out(rows, cols);
    value.copy_to(out.data());
    return out;
  }
};

}  // namespace

void two_layers_forward(MatView<float> o, MatView<float> h, const TwoLayers<float>& layers) {
  const auto lock = lock_device();
  const DeviceArray<float> x(layers.x.data, layers.x.size()), w1(layers.w1.data, layers.w1.size()),
      b1(layers.b1, h.cols), w2(layers.w2.data, layers.w2.size()), b2(layers.b2, o.cols);
  const DeviceArray<float> hidden(h.size()), out(o.size());
  forward(out.data(), hidden.data(),
          {h.rows, layers.x.cols, h.cols, o.cols, x.data(), w1.data(), b1.data(), w2.data(),
           b2.data(), Drop(layers.rate, layers.input), Drop(layers.rate, layers.inner)});
  hidden.copy_to(h.data);
  out.copy_to(o.data);
}

void two_layers_backward(const TwoLayersGradient<float>& d, MatView<const float> d_o,
                         MatView<const float> h, const TwoLayers<float>& layers) {
  const auto lock = lock_device();
  const DeviceArray<float> x(layers.x.data, layers.x.size()), w2(layers.w2.data, layers.w2.size());
  const DeviceArray<float> pull(d_o.data, d_o.size()), hidden(h.data, h.size()), d_h(h.size());
  const DeviceArray<float> d_w1(d.w1.data, d.w1.size()), d_b1(d.b1, h.cols),
      d_w2(d.w2.data, d.w2.size()), d_b2(d.b2, d_o.cols);
  backward({d_w1.data(), d_b1.data(), d_w2.data(), d_b2.data()}, d_h.data(), pull.data(),
           hidden.data(),
           {h.rows, layers.x.cols, h.cols, d_o.cols, x.data(), nullptr, nullptr, w2.data(), nullptr,
            Drop(layers.rate, layers.input), Drop(layers.rate, layers.inner)});
  d_w1.copy_to(d.w1.data);
  d_b1.copy_to(d.b1);
  d_w2.copy_to(d.w2.data);
  d_b2.copy_to(d.b2);
}

struct HeldHead::Arrays {
  const HeldMatrix::Arrays &x, &read;
  const HeldGraph::Arrays* graph;
  HeadTraining training;
  int64_t units, classes;
  Trained w1, b1, w2, b2;
  DeviceArray<float> targets, weights;
  // As many rows as x: hidden units and their gradient; logits, and three to propagate with.
  DeviceArray<float> h, d_h, o, z, spare, pull;

  std::array<const Trained*, 4> trained() const { return {&w1, &b1, &w2, &b2}; }

  Layers layers(const HeldMatrix::Arrays& rows, float rate, const Rng& input,
                const Rng& inner) const {
    return {rows.rows,         rows.cols,           units,
            classes,           rows.numbers.data(), w1.value.data(),
            b1.value.data(),   w2.value.data(),     b2.value.data(),
            Drop(rate, input), Drop(rate, inner)};
  }

  // The logits, after propagation.
  const float* run(const Layers& l) const {
    forward(o.data(), h.data(), l);
    if (!graph) return o.data();
    return graph->propagate(z.data(), spare.data(), o.data(), classes, training.steps,
                            training.alpha);
  }
};

HeldHead::HeldHead(const HeldMatrix& x, const HeldMatrix& read, const HeldGraph* graph,
                   const HeadParameters& start, const HeadTraining& training) {
  const auto lock = lock_device();
  const int64_t units = start.b1.cols(), classes = start.b2.cols(), rows = x.arrays().rows;
  require_memory(
      4 * rows * (2 * units + 4 * classes),
      "a head of " + std::to_string(units) + " hidden units for " + std::to_string(rows) + " rows",
      "take fewer rows");
  arrays_.reset(new Arrays{
      .x = x.arrays(),
      .read = read.arrays(),
      .graph = graph ? &graph->arrays() : nullptr,
      .training = training,
      .units = units,
      .classes = classes,
      .w1 = Trained(start.w1),
      .b1 = Trained(start.b1),
      .w2 = Trained(start.w2),
      .b2 = Trained(start.b2),
      .targets = DeviceArray<float>(training.targets.data, training.targets.size()),
      .weights = DeviceArray<float>(training.weights, training.targets.rows),
      .h = DeviceArray<float>(rows * units),
      .d_h = DeviceArray<float>(rows * units),
      .o = DeviceArray<float>(rows * classes),
      .z = DeviceArray<float>(graph ? rows * classes : 0),
      .spare = DeviceArray<float>(graph ? rows * classes : 0),
      .pull = DeviceArray<float>(rows * classes),
  });
}

HeldHead::~HeldHead() = default;

void HeldHead::train_epoch(int64_t epoch, float consistency, const Rng& input, const Rng& inner) {
  const auto lock = lock_device();
  Arrays& a = *arrays_;
  const Layers l = a.layers(a.read, a.training.rate, input, inner);
  if (l.rows == 0) return;
  const float* const logits = a.run(l);
  soft_pull<<<blocks_of(l.rows), kThreads, 0, stream()>>>(
      a.pull.data(), logits, a.targets.data(), a.weights.data(), consistency, l.rows, l.classes);
  check(cudaGetLastError(), "starting the loss");
  // Propagation is its own backward; the logits are not read any more.
  const float* const d_o = a.graph
                               ? a.graph->propagate(a.z.data(), a.spare.data(), a.pull.data(),
                                                    l.classes, a.training.steps, a.training.alpha)
                               : a.pull.data();
  backward({a.w1.gradient.data(), a.b1.gradient.data(), a.w2.gradient.data(), a.b2.gradient.data()},
           a.d_h.data(), d_o, a.h.data(), l);
  const double rate = a.training.learning_rate;
  a.w1.step(rate, epoch, a.training.weight_decay);
  for (Trained* other : {&a.b1, &a.w2, &a.b2}) other->step(rate, epoch, 0.0f);
}

Matrix HeldHead::look(std::span<const int32_t> rows) const {
  const auto lock = lock_device();
  const Arrays& a = *arrays_;
  const auto count = std::ssize(rows);
  Matrix out(count, a.classes);
  if (count == 0) return out;
  const float* const found = a.run(a.layers(a.x, 0.0f, {}, {}));
  const DeviceArray<int32_t> wanted(rows.data(), count);
  const DeviceArray<float> p(out.size());
  softmax_of_rows<<<blocks_of(count), kThreads, 0, stream()>>>(p.data(), found, wanted.data(),
                                                               count, a.classes);
  check(cudaGetLastError(), "starting a softmax");
  p.copy_to(out.data());
  return out;
}

void HeldHead::keep() {
  const auto lock = lock_device();
  for (const Trained* part : arrays_->trained()) copy_on_device(part->kept, part->value);
}

void HeldHead::go_back() {
  const auto lock = lock_device();
  for (const Trained* part : arrays_->trained()) copy_on_device(part->value, part->kept);
}

Matrix HeldHead::logits() const {
  const auto lock = lock_device();
  const Arrays& a = *arrays_;
  const Layers l = a.layers(a.x, 0.0f, {}, {});
  const float* const found = a.run(l);
  Matrix out(l.rows, l.classes);
  check(cudaMemcpyAsync(out.data(), found, out.size() * sizeof(float), cudaMemcpyDeviceToHost,
                        stream()),
        "copying from the device");
  check(cudaStreamSynchronize(stream()), "running on the device");
  return out;
}

HeadParameters HeldHead::parameters() const {
  const auto lock = lock_device();
  const Arrays& a = *arrays_;
  return {a.w1.to_host(a.x.cols, a.units), a.b1.to_host(1, a.units),
          a.w2.to_host(a.units, a.classes), a.b2.to_host(1, a.classes)};
}

}  // namespace glgnn::cuda
