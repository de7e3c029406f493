// A training in paper mode that stays on the device: what comes and goes. From the second epoch on,
// all kernels of an epoch are started at once, as a CUDA graph.
#include <glgnn/error.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cuda/paper_arrays.cuh"

namespace glgnn::cuda {
namespace {

using namespace paper;

// Above this the modules share one place to work in, one after the other.
constexpr int64_t kRowsOfOneStream = 60'000;

DeviceArray<float> zeros(int64_t size) {
  DeviceArray<float> made(size);
  made.fill_bytes(0);
  return made;
}

std::vector<int32_t> places_of(const PaperTask& t) {
  std::vector<int32_t> place(t.rows(), -1);
  for (size_t at = 0; at < t.train.size(); ++at) place[t.train[at]] = static_cast<int32_t>(at);
  return place;
}

std::vector<int32_t> answered_rows(const PaperTask& t) {
  std::vector<int32_t> rows(t.train.begin(), t.train.end());
  rows.insert(rows.end(), t.val.begin(), t.val.end());
  return rows;
}

int64_t workplaces(const PaperTask& t) { return t.rows() < kRowsOfOneStream ? t.modules : 1; }

void require_room_for(const PaperTask& t) {
  const DeviceRows x{.rows = t.rows(), .cols = t.features()};
  const DeviceRows hidden{.rows = t.rows(), .cols = t.classes + t.hidden};
  const ChooseRule rule{.k = static_cast<int>(t.k)};
  const int64_t slots = t.rows() * t.k, units = t.rows() * (6 * t.hidden + 7 * t.classes + 20);
  const int64_t numbers = t.x_pattern.rows > 0 ? 9 * t.x_pattern.nnz() : t.rows() * t.features();
  const int64_t work = PackedRows::bytes(x) + PackedRows::bytes(hidden) + choose_bytes(x, rule) +
                       choose_bytes(hidden, rule) + HopRoom::bytes(t.rows(), t.hops) + 16 * slots;
  require_memory(
      4 * numbers + 24 * t.numbers() + t.modules * (90 * slots + 4 * units) + workplaces(t) * work,
      "training on " + std::to_string(t.rows()) + " rows of " + std::to_string(t.features()) +
          " columns with k = " + std::to_string(t.k),
      "it grows in proportion to the rows: take fewer");
}

}  // namespace

namespace paper {

HeldX::HeldX(const PaperTask& t) {
  view = {.n = static_cast<int>(t.rows()),
          .f = static_cast<int>(t.features()),
          .stride = static_cast<int>((t.features() + 3) / 4 * 4)};
  if (t.x_pattern.rows == 0) {
    numbers = zeros(int64_t{view.n} * view.stride);
    if (t.x.size() > 0) {
      check(cudaMemcpy2DAsync(numbers.data(), 4 * view.stride, t.x.data, 4 * t.x.cols, 4 * t.x.cols,
                              t.x.rows, cudaMemcpyHostToDevice, stream()),
            "copying to the device");
    }
    view.dense = numbers.data();
    return;
  }
  const int64_t entries = t.x_pattern.nnz();
  numbers = DeviceArray<float>(t.x_values, entries);
  row_ptr = DeviceArray<int64_t>(t.x_pattern.row_ptr, view.n + 1);
  col = DeviceArray<int32_t>(t.x_pattern.col, entries);
  column_ptr = DeviceArray<int64_t>(t.x_by_column.pattern.row_ptr, view.f + 1);
  column_row = DeviceArray<int32_t>(t.x_by_column.pattern.col, entries);
  column_entry = DeviceArray<int64_t>(t.x_by_column.source, entries);
  view.row_ptr = row_ptr.data();
  view.col = col.data();
  view.values = numbers.data();
  view.column_ptr = column_ptr.data();
  view.column_row = column_row.data();
  view.column_entry = column_entry.data();
  view.entries = entries;
}
Training::Training(const PaperTask& task, const PaperNumbers& start,
                   std::span<const PatternView> graphs, int64_t epochs)
    : t(task),
      n(static_cast<int>(t.rows())),
      c(static_cast<int>(t.classes)),
      h(static_cast<int>(t.hidden)),
      k(static_cast<int>(t.k)),
      hops(static_cast<int>(t.hops)),
      modules(static_cast<int>(t.modules)),
      places(t),
      state(places.bytes),
      best(places.bytes),
      mean(start.mean.data(), std::ssize(start.mean)),
      square(start.square.data(), std::ssize(start.square)),
      gradient(zeros(t.numbers())),
      x(t),
      answered_on_host(answered_rows(t)),
      train(t.train.data(), std::ssize(t.train)),
      labels(t.labels.data(), std::ssize(t.labels)),
      place(places_of(t).data(), n),
      answered(answered_on_host.data(), std::ssize(answered_on_host)),
      shown(n),
      train_weights(t.train_weights.data(), std::ssize(t.train_weights)),
      log_right(n),
      clock(1),
      report(kLossBytes + 4 * (answer_rows() * c + std::ssize(t.val))),
      parts(network_parts(modules)),
      alpha((modules + 1) * (modules + 1)),
      d_o(t.modules * n * c),
      d_logits(train.size() * c),
      d_mix(train.size() * (modules + 1)),
      row_loss(train.size()),
      d_alpha(modules + 1) {
  state.fill_bytes(0);
  const Clock now{.epoch = static_cast<uint32_t>(epochs)};
  check(cudaMemcpyAsync(clock.data(), &now, sizeof now, cudaMemcpyHostToDevice, stream()),
        "copying to the device");
  check(cudaMemcpyAsync(at<float>(places.value), start.value.data(), 4 * t.numbers(),
                        cudaMemcpyHostToDevice, stream()),
        "copying to the device");
  check(cudaMallocHost(&on_host, report.size()), "asking for memory that the device can reach");
  has_hops = hops_are_given = !graphs.empty();
  for (int64_t w = 0; w < workplaces(t); ++w) work.emplace_back(t, t.second_weight > 0 ? c : 0);
  const int64_t slots = int64_t{n} * k;
  for (int m = 0; m < modules; ++m) {
    Module& made = each.emplace_back(m, t, x.view);
    const auto parameters = [&](float* from) {
      float* s = from + m * t.of_module();
      float *w1 = s + x.view.f, *w2 = w1 + int64_t{x.view.f} * h;
      return std::array<float*, 4>{s, w1, w2, w2 + h * c};
    };
    const auto value = parameters(at<float>(places.value)), d = parameters(gradient.data());
    std::tie(made.s, made.w1, made.w2, made.v) = std::tuple_cat(value);
    std::tie(made.d_s, made.d_w1, made.d_w2, made.d_v) = std::tuple_cat(d);
    made.eval_col = at<int32_t>(places.col) + m * slots;
    made.eval_count = at<int64_t>(places.count) + int64_t{m} * n;
    made.eval_a = at<float>(places.a) + m * slots;
    made.x2 = at<float>(places.x2) + int64_t{m} * n * c;
    made.d_o = d_o.data() + int64_t{m} * n * c;
    if (!has_hops) continue;
    made.given_ptr = DeviceArray<int64_t>(graphs[m].row_ptr, n + 1);
    made.given_col = DeviceArray<int32_t>(graphs[m].col, graphs[m].nnz());
  }
  check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "starting a stream");
  for (size_t s = 0; work.size() > 1 && s < work.size(); ++s) {
    check(cudaStreamCreateWithFlags(&streams.emplace_back(), cudaStreamNonBlocking),
          "starting a stream");
  }
  for (size_t e = 0; e < streams.size() + 1; ++e) {
    check(cudaEventCreateWithFlags(&events.emplace_back(), cudaEventDisableTiming),
          "making an event");
  }
  check(cudaStreamSynchronize(stream()), "copying to the device");
}

Training::~Training() {
  cudaStreamSynchronize(own);
  if (whole_epoch) cudaGraphExecDestroy(whole_epoch);
  for (const cudaEvent_t event : events) cudaEventDestroy(event);
  for (const cudaStream_t of_module : streams) cudaStreamDestroy(of_module);
  cudaStreamDestroy(own);
  cudaFreeHost(on_host);
}

}  // namespace paper

HeldPaper::HeldPaper(const PaperTask& task, const PaperNumbers& start,
                     std::span<const PatternView> hop_graphs, int64_t epochs) {
  const auto lock = lock_device();
  if (task.rows() * task.k >= INT32_MAX || task.modules > kMostModules) {
    throw Error(ErrorKind::kUnsupported,
                "found " + std::to_string(task.rows()) + " rows, k = " + std::to_string(task.k) +
                    " and " + std::to_string(task.modules) +
                    " modules, expected fewer than 2^31 kept pairs and at most " +
                    std::to_string(kMostModules) + " modules on the device; use the processor");
  }
  require_room_for(task);
  arrays_ = std::make_unique<Arrays>(task, start, hop_graphs, epochs);
}

HeldPaper::~HeldPaper() {
  const auto lock = lock_device();
  arrays_.reset();
}

PaperLosses HeldPaper::run_epoch(MatView<float> answers) {
  const auto lock = lock_device();
  const OnStream here(arrays_->own);
  Arrays& a = *arrays_;
  if (!a.neighbours_known) {
    a.run();
  } else if (a.whole_epoch) {
    check(cudaGraphLaunch(a.whole_epoch, stream()), "starting an epoch");
  } else {
    check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "recording an epoch");
    a.run();
    cudaGraph_t recorded;
    check(cudaStreamEndCapture(stream(), &recorded), "recording an epoch");
    check(cudaGraphInstantiate(&a.whole_epoch, recorded, 0), "recording an epoch");
    check(cudaGraphDestroy(recorded), "recording an epoch");
    check(cudaGraphLaunch(a.whole_epoch, stream()), "starting an epoch");
  }
  check(cudaStreamSynchronize(stream()), "running an epoch");
  PaperLosses found;
  double losses[3];
  std::memcpy(losses, a.on_host, sizeof losses);
  found.graph = losses[0];
  found.entropy = losses[1];
  found.decay = losses[2];
  const auto* numbers = reinterpret_cast<const float*>(a.on_host + Arrays::kLossBytes);
  const int64_t rows = a.answer_rows(), train = a.train.size();
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(numbers + row * a.c, a.c, answers[a.answered_on_host[row]]);
  }
  for (int64_t row = train; row < rows; ++row) {
    found.val_entropy -= numbers[rows * a.c + row - train] / static_cast<double>(rows - train);
  }
  return found;
}

void HeldPaper::keep() {
  const auto lock = lock_device();
  const OnStream here(arrays_->own);
  copy_on_device(arrays_->best.data(), arrays_->state.data(), arrays_->places.bytes);
}

PaperEvaluation HeldPaper::kept() const {
  const auto lock = lock_device();
  const OnStream here(arrays_->own);
  const Arrays& a = *arrays_;
  const PaperTask& t = a.t;
  std::vector<uint8_t> bytes(a.places.bytes);
  a.best.copy_to(bytes.data());
  const auto take = [&](int64_t place, int64_t skipped, int64_t size, auto* to) {
    std::memcpy(to, bytes.data() + place + skipped * sizeof *to, size * sizeof *to);
  };
  PaperEvaluation out{.parameters = std::vector<float>(t.numbers()),
                      .probabilities = Matrix(a.n, a.c),
                      .network = Matrix(a.modules + 1, a.modules + 1),
                      .graphs = {},
                      .predictions = {}};
  take(a.places.value, 0, t.numbers(), out.parameters.data());
  take(a.places.y, 0, out.probabilities.size(), out.probabilities.data());
  take(a.places.network, 0, out.network.size(), out.network.data());
  const int64_t slots = t.rows() * t.k;
  for (int64_t m = 0; m < t.modules; ++m) {
    Matrix& x2 = out.predictions.emplace_back(a.n, a.c);
    take(a.places.x2, m * x2.size(), x2.size(), x2.data());
    PaperGraph& graph = out.graphs.emplace_back();
    graph.count.resize(a.n);
    graph.col.resize(slots);
    graph.weights.resize(slots);
    take(a.places.count, m * a.n, a.n, graph.count.data());
    take(a.places.col, m * slots, slots, graph.col.data());
    take(a.places.a, m * slots, slots, graph.weights.data());
  }
  return out;
}

PaperNumbers HeldPaper::numbers() const {
  const auto lock = lock_device();
  const OnStream here(arrays_->own);
  const Arrays& a = *arrays_;
  PaperNumbers out;
  for (auto* list : {&out.value, &out.mean, &out.square}) list->resize(a.t.numbers());
  check(cudaMemcpyAsync(out.value.data(), a.at<float>(a.places.value), 4 * a.t.numbers(),
                        cudaMemcpyDeviceToHost, stream()),
        "copying from the device");
  a.mean.copy_to(out.mean.data());
  a.square.copy_to(out.square.data());
  return out;
}

std::vector<PaperGraph> HeldPaper::second_graphs() const {
  const auto lock = lock_device();
  const OnStream here(arrays_->own);
  std::vector<PaperGraph> out;
  for (const Module& m : arrays_->each) {
    PaperGraph& graph = out.emplace_back();
    graph.count.resize(m.second_count.size());
    graph.col.resize(m.second_col.size());
    graph.weights.resize(m.second_a.size());
    m.second_count.copy_to(graph.count.data());
    m.second_col.copy_to(graph.col.data());
    m.second_a.copy_to(graph.weights.data());
  }
  return out;
}

}  // namespace glgnn::cuda
