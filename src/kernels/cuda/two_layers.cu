// Heads of two layers on the device: products in tiles, with dropout where numbers are read and
// biases, relu and dropout where sums are done (products.cuh).
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "core/cuda/device.h"
#include "kernels/cuda/products.cuh"
#include "kernels/layers.h"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;

int blocks_of(int64_t numbers, int of_a_block = kThreads) {
  return static_cast<int>((numbers + of_a_block - 1) / of_a_block);
}

// The sizes of all, and where the numbers are on the device.
struct Layers {
  int64_t rows, features, units, classes;
  int64_t width;  // of a row of logits or their gradient: the classes, and zeros
  const float *x, *w1, *b1, *w2, *b2;
  Drop input, inner;
};

// The hidden units of some rows, and the logits where `last`: then the tile has all units.
template <bool last>
__global__ void hidden_tile(float* o, float* h, const __grid_constant__ Layers l) {
  const int64_t top = int64_t{blockIdx.x} * kTile, left = int64_t{blockIdx.y} * kTile;
  __shared__ float hidden[last ? kTile : 1][kTile + 1];
  float sums[kOfAThread][kOfAThread] = {};
  multiply_tile(sums, Dropped{l.x, l.features, l.input}, Plain{l.w1, l.units},
                {l.rows, l.features, l.units}, top, left);
  const int row = kOfAThread * (threadIdx.x / 16), unit = kOfAThread * (threadIdx.x % 16);
#pragma unroll
  for (int r = 0; r < kOfAThread; ++r) {
    const int64_t i = top + row + r, u = left + unit, at = i * l.units + u;
    float x[4];
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      x[t] = u + t < l.units ? fmaxf(sums[r][t] + l.b1[u + t], 0.0f) : 0.0f;
    }
    if (u + 3 < l.units && at % 4 == 0) {
      l.inner.four(x, at);
    } else {
#pragma unroll
      for (int t = 0; t < 4; ++t) x[t] = l.inner(x[t], at + t);
    }
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      if (i < l.rows && u + t < l.units) h[at + t] = x[t];
      if (last) hidden[row + r][unit + t] = x[t];
    }
  }
  if (!last) return;
  __syncthreads();
  constexpr int kSharing = kTileThreads / kTile;  // threads of a row
  const int own = threadIdx.x / kSharing;
  if (top + own >= l.rows) return;
  for (int64_t c = threadIdx.x % kSharing; c < l.classes; c += kSharing) {
    float sum = 0;
    for (int u = 0; u < l.units; ++u) sum = fmaf(hidden[own][u], l.w2[u * l.classes + c], sum);
    o[(top + own) * l.width + c] = sum + l.b2[c];
  }
}

struct FinishBias {
  float* out;
  int64_t cols;
  const float* bias;
  __device__ void operator()(int64_t i, int64_t c, float sum) const {
    out[i * cols + c] = sum + bias[c];
  }
};

// Gradients of a layer: of its weights, so many, and then of its bias.
struct Add {
  float *weights, *bias;
  int64_t count;
  __device__ void operator()(int64_t e, float sum) const {
    (e < count ? weights[e] : bias[e - count]) += sum;
  }
};

// adam_step (kernels/dense.h), with `decay` times x added to the gradient.
struct Adam {
  float *x, *mean, *square;
  float decay, step, scale;
  __device__ void operator()(int64_t e, float gradient) const {
    const float pull = fmaf(decay, x[e], gradient);
    const float m = mean[e] = 0.9f * mean[e] + static_cast<float>(1 - 0.9) * pull;
    const float v = square[e] = 0.999f * square[e] + static_cast<float>(1 - 0.999) * pull * pull;
    x[e] -= step * m / (sqrtf(v) * scale + 1e-8f);
  }
};
struct Step {
  Adam weights, bias;
  int64_t count;
  __device__ void operator()(int64_t e, float gradient) const {
    e < count ? weights(e, gradient) : bias(e - count, gradient);
  }
};

void forward(float* o, float* h, const Layers& l) {
  if (l.rows == 0 || l.units == 0) return;
  const dim3 tiles(blocks_of(l.rows, kTile), blocks_of(l.units, kTile));
  const bool at_once = l.units <= kTile;
  (at_once ? hidden_tile<true> : hidden_tile<false>)<<<tiles, kTileThreads, 0, stream()>>>(o, h, l);
  check(cudaGetLastError(), "starting the hidden units");
  if (at_once) return;
  product(Plain{h, l.units}, Plain{l.w2, l.classes}, {l.rows, l.units, l.classes},
          FinishBias{o, l.width, l.b2});
}

// The numbers that backward() wants as room.
int64_t backward_room(int64_t rows, int64_t features, int64_t units, int64_t classes) {
  return std::max(transposed_room({features, rows, units}),
                  transposed_room({units, rows, classes}));
}

// What is done with the gradients is given for each layer; that of the first reads w2.
template <class Finish>
void backward(const Finish& first, const Finish& second, const float* d_o, const float* h,
              const Layers& l, float* room) {
  transposed_product<true>(Dropped{l.x, l.features, l.input},
                           Pulled{d_o, l.w2, h, l.width, l.classes, l.units, l.input.scale},
                           {l.features, l.rows, l.units}, first, room);
  transposed_product<true>(Plain{h, l.units}, Plain{d_o, l.width}, {l.units, l.rows, l.classes},
                           second, room);
}

// Softmax and its sharpened form are made anew where they are read, or kept where there are few
// classes (`most`, else 0).
template <int most>
__global__ void soft_pull(float* d_x, const float* x, const float* targets, const float* weights,
                          float consistency, int64_t rows, int64_t classes, int64_t width) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= rows) return;
  const float *row = x + i * width, *target = targets + i * classes;
  const float weight = weights[i], factor = 2 * consistency / static_cast<float>(rows);
  float top = row[0];
  for (int64_t c = 1; c < classes; ++c) top = fmaxf(top, row[c]);
  float kept[most > 0 ? most : 1];
  float sum = 0, squares = 0, mass = 0, dot = 0;
  const auto for_classes = [&](auto&& work) {
    if constexpr (most > 0) {
#pragma unroll
      for (int c = 0; c < most; ++c) {
        if (c < classes) work(c, kept[c]);
      }
    } else {
      for (int64_t c = 0; c < classes; ++c) {
        float value = expf(row[c] - top);
        work(c, value);
      }
    }
  };
  if constexpr (most > 0) for_classes([&](int c, float& value) { value = expf(row[c] - top); });
  for_classes([&](int64_t c, float& value) {
    sum += value;
    mass += target[c];
  });
  for_classes([&](int64_t, float& value) {
    const float p = value / sum;
    squares += p * p;
  });
  for_classes([&](int64_t, float& value) {
    const float p = value / sum;
    dot += factor * (p - p * p / squares) * p;
  });
  for_classes([&](int64_t c, float& value) {
    const float p = value / sum;
    d_x[i * width + c] =
        weight * (p * mass - target[c]) + p * (factor * (p - p * p / squares) - dot);
  });
}

// The softmax of row rows[i] of x becomes row i of p.
__global__ void softmax_of_rows(float* p, const float* x, const int32_t* rows, int64_t count,
                                int64_t classes, int64_t width) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const float* const row = x + rows[i] * width;
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
  DeviceArray<float> value, kept, mean, square;
  explicit Trained(const Matrix& start)
      : value(start.data(), start.size()),
        kept(start.data(), start.size()),
        mean(start.size()),
        square(start.size()) {
    for (auto* zero : {&mean, &square}) zero->fill_bytes(0);
  }

  Adam step(double rate, int64_t epoch, float decay) const {
    return {value.data(),
            mean.data(),
            square.data(),
            decay,
            static_cast<float>(rate / (1 - std::pow(0.9, epoch))),
            static_cast<float>(1 / std::sqrt(1 - std::pow(0.999, epoch)))};
  }
  Matrix to_host(int64_t rows, int64_t cols) const {
    Matrix out(rows, cols);
    value.copy_to(out.data());
    return out;
  }
};

}  // namespace

void two_layers_forward(MatView<float> o, MatView<float> h, const TwoLayers<float>& layers) {
  require_device();
  const DeviceArray<float> x(layers.x.data, layers.x.size()), w1(layers.w1.data, layers.w1.size()),
      b1(layers.b1, h.cols), w2(layers.w2.data, layers.w2.size()), b2(layers.b2, o.cols);
  const DeviceArray<float> hidden(h.size()), out(o.size());
  forward(out.data(), hidden.data(),
          {h.rows, layers.x.cols, h.cols, o.cols, o.cols, x.data(), w1.data(), b1.data(), w2.data(),
           b2.data(), Drop(layers.rate, layers.input), Drop(layers.rate, layers.inner)});
  hidden.copy_to(h.data);
  out.copy_to(o.data);
}

void two_layers_backward(const TwoLayersGradient<float>& d, MatView<const float> d_o,
                         MatView<const float> h, const TwoLayers<float>& layers) {
  require_device();
  const DeviceArray<float> x(layers.x.data, layers.x.size()), w2(layers.w2.data, layers.w2.size());
  const DeviceArray<float> pull(d_o.data, d_o.size()), hidden(h.data, h.size());
  const DeviceArray<float> d_w1(d.w1.data, d.w1.size()), d_b1(d.b1, h.cols),
      d_w2(d.w2.data, d.w2.size()), d_b2(d.b2, d_o.cols);
  const DeviceArray<float> room(backward_room(h.rows, layers.x.cols, h.cols, d_o.cols));
  backward(Add{d_w1.data(), d_b1.data(), d_w1.size()}, Add{d_w2.data(), d_b2.data(), d_w2.size()},
           pull.data(), hidden.data(),
           {h.rows, layers.x.cols, h.cols, d_o.cols, d_o.cols, x.data(), nullptr, nullptr,
            w2.data(), nullptr, Drop(layers.rate, layers.input), Drop(layers.rate, layers.inner)},
           room.data());
  d_w1.copy_to(d.w1.data);
  d_b1.copy_to(d.b1);
  d_w2.copy_to(d.w2.data);
  d_b2.copy_to(d.b2);
}

struct HeldHead::Arrays {
  const HeldMatrix::Arrays &x, &read;
  const HeldGraph::Arrays* graph;
  HeadTraining training;
  int64_t units, classes, width;
  Trained w1, b1, w2, b2;
  DeviceArray<float> targets, weights;
  // As many rows as x: hidden units; logits, and three to propagate with.
  DeviceArray<float> h, o, z, spare, pull, room;

  std::array<const Trained*, 4> trained() const { return {&w1, &b1, &w2, &b2}; }

  Layers layers(const HeldMatrix::Arrays& rows, float rate, const Rng& input,
                const Rng& inner) const {
    return {
        rows.rows,           rows.cols,        units,           classes,         width,
        rows.numbers.data(), w1.value.data(),  b1.value.data(), w2.value.data(), b2.value.data(),
        Drop(rate, input),   Drop(rate, inner)};
  }

  // The logits, after propagation.
  const float* run(const Layers& l) const {
    forward(o.data(), h.data(), l);
    if (!graph) return o.data();
    return graph->propagate(z.data(), spare.data(), o.data(), width, training.steps,
                            training.alpha);
  }
};

HeldHead::HeldHead(const HeldMatrix& x, const HeldMatrix& read, const HeldGraph* graph,
                   const HeadParameters& start, const HeadTraining& training) {
  require_device();
  const int64_t units = start.b1.cols(), classes = start.b2.cols(), rows = x.arrays().rows;
  const int64_t width = (classes + 3) / 4 * 4;  // as propagation likes it
  require_memory(
      4 * rows * (units + 4 * width),
      "a head of " + std::to_string(units) + " hidden units for " + std::to_string(rows) + " rows",
      "take fewer rows");
  arrays_.reset(new Arrays{
      .x = x.arrays(),
      .read = read.arrays(),
      .graph = graph ? &graph->arrays() : nullptr,
      .training = training,
      .units = units,
      .classes = classes,
      .width = width,
      .w1 = Trained(start.w1),
      .b1 = Trained(start.b1),
      .w2 = Trained(start.w2),
      .b2 = Trained(start.b2),
      .targets = DeviceArray<float>(training.targets.data, training.targets.size()),
      .weights = DeviceArray<float>(training.weights, training.targets.rows),
      .h = DeviceArray<float>(rows * units),
      .o = DeviceArray<float>(rows * width),
      .z = DeviceArray<float>(graph ? rows * width : 0),
      .spare = DeviceArray<float>(graph ? rows * width : 0),
      .pull = DeviceArray<float>(rows * width),
      .room = DeviceArray<float>(backward_room(read.rows(), x.cols(), units, classes)),
  });
  arrays_->o.fill_bytes(0);  // beyond the classes, too
  arrays_->pull.fill_bytes(0);
}

HeldHead::~HeldHead() = default;

void HeldHead::train_epoch(int64_t epoch, float consistency, const Rng& input, const Rng& inner) {
  require_device();
  Arrays& a = *arrays_;
  const Layers l = a.layers(a.read, a.training.rate, input, inner);
  if (l.rows == 0) return;
  const float* const logits = a.run(l);
  constexpr int kFew = 16;
  (l.classes <= kFew ? soft_pull<kFew>
                     : soft_pull<0>)<<<blocks_of(l.rows), kThreads, 0, stream()>>>(
      a.pull.data(), logits, a.targets.data(), a.weights.data(), consistency, l.rows, l.classes,
      l.width);
  check(cudaGetLastError(), "starting the loss");
  // Propagation is its own backward; the logits are not read any more.
  const float* const d_o = a.graph ? a.graph->propagate(a.z.data(), a.spare.data(), a.pull.data(),
                                                        l.width, a.training.steps, a.training.alpha)
                                   : a.pull.data();
  const double rate = a.training.learning_rate;
  backward(Step{a.w1.step(rate, epoch, a.training.weight_decay), a.b1.step(rate, epoch, 0.0f),
                a.w1.value.size()},
           Step{a.w2.step(rate, epoch, 0.0f), a.b2.step(rate, epoch, 0.0f), a.w2.value.size()}, d_o,
           a.h.data(), l, a.room.data());
}

Matrix HeldHead::look(std::span<const int32_t> rows) const {
  require_device();
  const Arrays& a = *arrays_;
  const auto count = std::ssize(rows);
  Matrix out(count, a.classes);
  if (count == 0) return out;
  const float* const found = a.run(a.layers(a.x, 0.0f, {}, {}));
  const DeviceArray<int32_t> wanted(rows.data(), count);
  const DeviceArray<float> p(out.size());
  softmax_of_rows<<<blocks_of(count), kThreads, 0, stream()>>>(p.data(), found, wanted.data(),
                                                               count, a.classes, a.width);
  check(cudaGetLastError(), "starting a softmax");
  p.copy_to(out.data());
  return out;
}

void HeldHead::keep() {
  require_device();
  for (const Trained* part : arrays_->trained()) copy_on_device(part->kept, part->value);
}

void HeldHead::go_back() {
  require_device();
  for (const Trained* part : arrays_->trained()) copy_on_device(part->value, part->kept);
}

Matrix HeldHead::logits() const {
  require_device();
  const Arrays& a = *arrays_;
  const Layers l = a.layers(a.x, 0.0f, {}, {});
  const float* const found = a.run(l);
  Matrix out(l.rows, l.classes);
  const DeviceArray<float> dense(out.size());
  check(cudaMemcpy2DAsync(dense.data(), l.classes * sizeof(float), found, l.width * sizeof(float),
                          l.classes * sizeof(float), l.rows, cudaMemcpyDeviceToDevice, stream()),
        "copying on the device");
  dense.copy_to(out.data());
  return out;
}

HeadParameters HeldHead::parameters() const {
  require_device();
  const Arrays& a = *arrays_;
  return {a.w1.to_host(a.x.cols, a.units), a.b1.to_host(1, a.units),
          a.w2.to_host(a.units, a.classes), a.b2.to_host(1, a.classes)};
}

}  // namespace glgnn::cuda
