#include "kernels/cuda/paper.cuh"

namespace glgnn::cuda::paper {
namespace {

constexpr int kPartBlocks = 64;
constexpr int kOneBlock = 1024;

// X of module u, or of the aggregation module, which is their mean.
__device__ float of_module(const Network& net, int u, int64_t at) {
  const int64_t size = int64_t{net.n} * net.c;
  if (u < net.m) return net.x2[u * size + at];
  float sum = 0;
  for (int v = 0; v < net.m; ++v) sum += net.x2[v * size + at];
  return sum / static_cast<float>(net.m);
}

// blockIdx.y counts the pairs (0, 0), (1, 0), (1, 1), (2, 0), ...
__global__ void agree(const Network net) {
  __shared__ double room[32];
  int u = 0, v = static_cast<int>(blockIdx.y);
  while (v > u) v -= ++u;
  const int64_t size = int64_t{net.n} * net.c;
  double sum = 0;
  for (int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x; at < size;
       at += kPartBlocks * kThreads) {
    sum += static_cast<double>(net.a[at]) * of_module(net, u, at) * of_module(net, v, at);
  }
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) net.parts[blockIdx.y * kPartBlocks + blockIdx.x] = sum;
}

__global__ void finish_network(const Network net) {
  const int all = net.m + 1, at = threadIdx.x, u = at / all, v = at % all;
  const bool inside = at < all * all;
  if (inside) {
    const int high = max(u, v), low = min(u, v);
    const double* parts = net.parts + (high * (high + 1) / 2 + low) * kPartBlocks;
    double sum = 0;
    for (int p = 0; p < kPartBlocks; ++p) sum += parts[p];
    net.alpha[at] = static_cast<float>(sum / net.n);
  }
  __syncthreads();
  if (!inside) return;
  float sum = 0;
  for (int w = 0; w < all; ++w) sum = fmaf(net.alpha[u * all + w], net.b[w * all + v], sum);
  net.network[at] = sum;
}

__device__ float logit(const Network& net, int64_t at) {
  const float* weights = net.network + net.m * (net.m + 1);
  float sum = 0;
  for (int u = 0; u <= net.m; ++u) sum = fmaf(weights[u], of_module(net, u, at), sum);
  return sum;
}

// The largest logit of a row and the sum of exponentials below it, by a warp; the logits go to
// `logits`.
struct RowTop {
  float top, sum;
};
__device__ RowTop logits_of_row(float* logits, const Network& net, int64_t row) {
  const int lane = threadIdx.x % 32;
  float top = -INFINITY, sum = 0;
  for (int c = lane; c < net.c; c += 32) {
    logits[c] = logit(net, row * net.c + c);
    top = fmaxf(top, logits[c]);
  }
  top = warp_max(top);
  for (int c = lane; c < net.c; c += 32) sum += expf(logits[c] - top);
  return {top, warp_sum(sum)};
}

// A warp for each training row.
__global__ void train_rows(const Network net, const Targets targets, const NetworkGradient d) {
  const int t = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (t >= targets.count) return;
  const int64_t row = targets.train[t];
  const int label = targets.labels[row];
  float* const own = d.d_logits + int64_t{t} * net.c;
  const RowTop found = logits_of_row(own, net, row);
  __syncwarp();
  if (lane == 0) {
    d.row_loss[t] = targets.weights[t] * (logf(found.sum) + found.top - own[label]);
  }
  __syncwarp();
  const float weight = targets.weight * targets.weights[t];
  for (int c = lane; c < net.c; c += 32) {
    own[c] = weight * (expf(own[c] - found.top) / found.sum - (c == label ? 1.0f : 0.0f));
  }
  for (int u = 0; u <= net.m; ++u) {
    float sum = 0;
    for (int c = lane; c < net.c; c += 32) {
      sum = fmaf(own[c], of_module(net, u, row * net.c + c), sum);
    }
    sum = warp_sum(sum);
    if (lane == 0) d.d_mix[int64_t{t} * (net.m + 1) + u] = sum;
  }
}

// One block: the gradients of the last row of N, and of alpha and B through it.
__global__ void finish_training_rows(const Network net, const Targets targets,
                                     const NetworkGradient d, double* loss) {
  __shared__ double room[32];
  __shared__ float d_mix[kMostModules + 1];
  const int all = net.m + 1;
  double sum = 0;
  for (int t = threadIdx.x; t < targets.count; t += blockDim.x) sum += d.row_loss[t];
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) *loss = targets.weight * sum;
  for (int u = 0; u < all; ++u) {
    sum = 0;
    for (int t = threadIdx.x; t < targets.count; t += blockDim.x) sum += d.d_mix[t * all + u];
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) d_mix[u] = static_cast<float>(sum);
  }
  __syncthreads();
  if (threadIdx.x >= all * all) return;
  const int v = threadIdx.x / all, u = threadIdx.x % all;
  d.d_b[threadIdx.x] = net.alpha[net.m * all + v] * d_mix[u];
  if (u != 0) return;
  float d_alpha = 0;
  for (int w = 0; w < all; ++w) d_alpha = fmaf(d_mix[w], net.b[v * all + w], d_alpha);
  d.d_alpha[v] = d_alpha;
}

// A warp for each row.
__global__ void back_to_modules(const Network net, const Targets targets, const NetworkGradient d) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= net.n) return;
  const int lane = threadIdx.x % 32, m = net.m, place = targets.place[row];
  const float* const weights = net.network + m * (m + 1);
  const float share = 1.0f / static_cast<float>(net.n), part = 1.0f / static_cast<float>(m);
  const int64_t size = int64_t{net.n} * net.c;
  // visit(v, X_v, d X_v) of each module, for class c.
  const auto for_modules = [&](int c, auto&& visit) {
    const int64_t at = row * net.c + c;
    const float d_logit = place >= 0 ? d.d_logits[int64_t{place} * net.c + c] : 0.0f;
    const float mean = of_module(net, m, at), attention = net.a[at] * share;
    float sum = d.d_alpha[m] * mean;
    for (int v = 0; v < m; ++v) sum = fmaf(d.d_alpha[v], net.x2[v * size + at], sum);
    const float d_mean = attention * fmaf(d.d_alpha[m], mean, sum) + weights[m] * d_logit;
#pragma unroll
    for (int v = 0; v < kMostModules; ++v) {
      if (v >= m) continue;
      visit(v, net.x2[v * size + at],
            weights[v] * d_logit + attention * d.d_alpha[v] * mean + part * d_mean);
    }
    return share * mean * sum;
  };
  float dot[kMostModules] = {};
  for (int c = lane; c < net.c; c += 32) {
    d.d_a[row * net.c + c] =
        for_modules(c, [&](int v, float x, float d_x) { dot[v] = fmaf(x, d_x, dot[v]); });
  }
#pragma unroll
  for (int v = 0; v < kMostModules; ++v) dot[v] = warp_sum(dot[v]);
  for (int c = lane; c < net.c; c += 32) {
    for_modules(c, [&](int v, float x, float d_x) {
      d.d_o[v * size + row * net.c + c] = x * (d_x - dot[v]);
    });
  }
}

__global__ void predict_rows(float* y, float* log_right, const Network net, const int32_t* labels) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= net.n) return;
  const int lane = threadIdx.x % 32;
  float* const own = y + row * net.c;
  const RowTop found = logits_of_row(own, net, row);
  __syncwarp();
  if (lane == 0 && labels[row] >= 0) {
    log_right[row] = own[labels[row]] - found.top - logf(found.sum);
  }
  __syncwarp();
  for (int c = lane; c < net.c; c += 32) own[c] = expf(own[c] - found.top) / found.sum;
}

__global__ void finish_hops(float* d_v, const float* by_level, const float* v, int n, int levels) {
  __shared__ double room[32];
  for (int level = 0; level <= levels; ++level) {
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      sum += by_level[int64_t{i} * (levels + 1) + level];
    }
    sum = block_sum(sum, room);
    if (threadIdx.x != 0) continue;
    const double x = v[level], h = fmax(x, 0.0) + log1p(exp(-fabs(x)));
    d_v[level] = static_cast<float>(sum / h / (1 + exp(-x)));
  }
}

__global__ void add_rows(double* loss, const float* row, const float* second_row, int64_t n,
                         double weight, bool add) {
  __shared__ double room[32];
  double sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    sum += static_cast<double>(row[i]) - second_row[i];
  }
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) *loss = weight * sum + (add ? *loss : 0.0);
}

__global__ void add_squares(double* loss, const float* x, int64_t n, double weight, bool add) {
  __shared__ double room[32];
  double sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += static_cast<double>(x[i]) * x[i];
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) *loss = weight * sum + (add ? *loss : 0.0);
}

__global__ void start_clock(Clock* clock, double rate) {
  const double t = clock->epoch + 1.0;
  clock->step = static_cast<float>(rate / (1 - pow(0.9, t)));
  clock->scale = static_cast<float>(1 / sqrt(1 - pow(0.999, t)));
}

__global__ void stop_clock(Clock* clock) { ++clock->epoch; }

__global__ void show_rows(int32_t* shown, const Targets targets, int n, const Drop hide) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= n) return;
  const bool shows = targets.place[row] >= 0 && hide.uniform(row) >= hide.rate;
  shown[row] = shows ? targets.labels[row] : -1;
}

__global__ void step_all(float* x, float* m, float* v, const float* g, int64_t n,
                         const Clock* clock) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  m[i] = 0.9f * m[i] + static_cast<float>(1 - 0.9) * g[i];
  v[i] = 0.999f * v[i] + static_cast<float>(1 - 0.999) * g[i] * g[i];
  x[i] -= clock->step * m[i] / (sqrtf(v[i]) * clock->scale + 1e-8f);
}

__global__ void gather_rows(float* out, const float* y, const float* log_right, const int32_t* list,
                            int rows, int c, int val) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x, numbers = int64_t{rows} * c;
  if (at < numbers) out[at] = y[int64_t{list[at / c]} * c + at % c];
  if (at < rows - val) out[numbers + at] = log_right[list[val + at]];
}

}  // namespace

int64_t network_parts(int m) { return int64_t{kPartBlocks} * (m + 1) * (m + 2) / 2; }

void network_forward(const Network& net) {
  const int pairs = (net.m + 1) * (net.m + 2) / 2;
  agree<<<dim3(kPartBlocks, pairs), kThreads, 0, stream()>>>(net);
  check(cudaGetLastError(), "starting to compare modules");
  finish_network<<<1, 128, 0, stream()>>>(net);
  check(cudaGetLastError(), "starting the network of graphs");
}

void network_backward(const Network& net, const Targets& targets, const NetworkGradient& d,
                      double* loss) {
  train_rows<<<blocks_of(targets.count, kWarps), kThreads, 0, stream()>>>(net, targets, d);
  check(cudaGetLastError(), "starting the cross-entropy");
  finish_training_rows<<<1, kOneBlock, 0, stream()>>>(net, targets, d, loss);
  check(cudaGetLastError(), "starting the gradient of the network");
  back_to_modules<<<blocks_of(net.n, kWarps), kThreads, 0, stream()>>>(net, targets, d);
  check(cudaGetLastError(), "starting back to the modules");
}

void predict(float* y, float* log_right, const Network& net, const int32_t* labels) {
  predict_rows<<<blocks_of(net.n, kWarps), kThreads, 0, stream()>>>(y, log_right, net, labels);
  check(cudaGetLastError(), "starting to predict");
}

void hop_gradient(float* d_v, const float* by_level, const float* v, int n, int levels) {
  finish_hops<<<1, kOneBlock, 0, stream()>>>(d_v, by_level, v, n, levels);
  check(cudaGetLastError(), "starting the gradient of hops");
}

void sum_of_rows(double* loss, const float* row, const float* second_row, int64_t n, double weight,
                 bool add) {
  add_rows<<<1, kOneBlock, 0, stream()>>>(loss, row, second_row, n, weight, add);
  check(cudaGetLastError(), "starting to add up a loss");
}

void sum_of_squares(double* loss, const float* x, int64_t n, double weight, bool add) {
  add_squares<<<1, kOneBlock, 0, stream()>>>(loss, x, n, weight, add);
  check(cudaGetLastError(), "starting to add up squares");
}

void begin_epoch(Clock* clock, double learning_rate) {
  start_clock<<<1, 1, 0, stream()>>>(clock, learning_rate);
  check(cudaGetLastError(), "starting an epoch");
}

void end_epoch(Clock* clock) {
  stop_clock<<<1, 1, 0, stream()>>>(clock);
  check(cudaGetLastError(), "ending an epoch");
}

void show_labels(int32_t* shown, const Targets& targets, int n, const Drop& hide) {
  show_rows<<<blocks_of(n, kThreads), kThreads, 0, stream()>>>(shown, targets, n, hide);
  check(cudaGetLastError(), "starting to hide labels");
}

void adam_step(float* x, float* m, float* v, const float* g, int64_t n, const Clock* clock) {
  step_all<<<blocks_of(n, kThreads), kThreads, 0, stream()>>>(x, m, v, g, n, clock);
  check(cudaGetLastError(), "starting a step of Adam");
}

void gather_answers(float* out, const float* y, const float* log_right, const int32_t* list,
                    int rows, int c, int val) {
  gather_rows<<<blocks_of(int64_t{rows} * c, kThreads), kThreads, 0, stream()>>>(
      out, y, log_right, list, rows, c, val);
  check(cudaGetLastError(), "starting to gather answers");
}

}  // namespace glgnn::cuda::paper
