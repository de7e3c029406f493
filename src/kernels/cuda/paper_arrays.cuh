// Where the numbers of a training in paper mode are on the device.
#pragma once

#include <array>
#include <deque>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/paper.cuh"
#include "kernels/paper_training.h"

namespace glgnn::cuda {
namespace paper {

inline void copy_on_device(void* to, const void* from, int64_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()),
        "copying on the device");
}

// What an evaluation finds, in one piece of memory so that the best is kept by one copy.
struct StatePlaces {
  int64_t bytes = 0;  // first: the places are taken from it
  int64_t value, y, network, x2, a, col, count;

  explicit StatePlaces(const PaperTask& t)
      : value(take(4 * t.numbers())),
        y(take(4 * t.rows() * t.classes)),
        network(take(4 * (t.modules + 1) * (t.modules + 1))),
        x2(take(4 * t.modules * t.rows() * t.classes)),
        a(take(4 * t.modules * t.rows() * t.k)),
        col(take(4 * t.modules * t.rows() * t.k)),
        count(take(8 * t.modules * t.rows())) {}

 private:
  int64_t take(int64_t size) {
    constexpr int64_t kAligned = 256;
    return std::exchange(bytes, bytes + (size + kAligned - 1) / kAligned * kAligned);
  }
};

// What is made of a graph's slots.
struct EdgeArrays {
  DeviceArray<float> w, r, by_w;
  DeviceArray<int32_t> by_ptr, by_row, by_entry;

  EdgeArrays(int64_t n, int64_t k)
      : w(n * k), r(n), by_w(n * k), by_ptr(n + 1), by_row(n * k), by_entry(n * k) {}

  Edges edges(int n, int k, int32_t* col, int64_t* count, float* a) const {
    return {n,          k,        col,           count,         a,
            w.data(),   r.data(), by_ptr.data(), by_row.data(), by_entry.data(),
            by_w.data()};
  }
};

// One of these for each module that works beside others.
struct Workplace {
  PackedRows packed, second_packed;
  HopRoom hops;
  ChooseRoom room, second_room;
  SortRoom sort;
  DeviceArray<uint64_t> keys;
  DeviceArray<int32_t> columns;

  Workplace(const PaperTask& t, int64_t label_cols)
      : packed(room_for({.rows = t.rows(), .cols = t.features()})),
        second_packed(room_for({.rows = t.rows(), .cols = label_cols + t.hidden})),
        hops(t.rows(), t.hops),
        room({t.rows(), std::min(t.rows(), hops.rows_at_once()), t.rows() % hops.rows_at_once()},
             packed, static_cast<int>(t.k), false),
        second_room({t.rows()}, second_packed, static_cast<int>(t.k), false),
        sort(t.rows(), t.k),
        keys(kRechooseBlocks * (t.k + std::ssize(t.train))),
        columns(keys.size()) {}
};

struct Module {
  int number;
  float *s, *w1, *w2, *v, *d_s, *d_w1, *d_w2, *d_v;
  // Of the evaluation; what follows is of the training pass, and of both where one is done.
  int32_t* eval_col;
  int64_t* eval_count;
  float *eval_a, *x2, *d_o;
  DeviceArray<uint8_t> eval_level, level;
  DeviceArray<int32_t> col, second_col;
  DeviceArray<int64_t> count, second_count;
  DeviceArray<float> a, second_a;
  EdgeArrays first, second;
  DeviceArray<float> scaled, squares, sw, gain;
  DeviceArray<float> p, dropped_x, x1, dropped, u, o;
  DeviceArray<float> sign, second_sign, row, second_row;
  DeviceArray<float> d_x1, d_u, d_y, d_p, sums, d_degree, d_entry, by_level, d_sw;
  DeviceArray<float> feature_room, input_sums, w2_sums;
  DeviceArray<int64_t> given_ptr;  // the graph that hops are read from, where the host gave one
  DeviceArray<int32_t> given_col;

  Module(int number, const PaperTask& t, const Rows& x)
      : number(number),
        eval_level(x.n * t.k),
        level(x.n * t.k),
        col(x.n * t.k),
        second_col(x.n * t.k),
        count(x.n),
        second_count(x.n),
        a(x.n * t.k),
        second_a(x.n * t.k),
        first(x.n, t.k),
        second(x.n, t.k),
        scaled(x.stride),
        squares(x.stride),
        sw(x.f * t.hidden),
        gain(t.hops + 1),
        p(x.n * t.hidden),
        dropped_x(x.entries),
        x1(x.n * t.hidden),
        dropped(x.n * t.hidden),
        u(x.n * t.classes),
        o(x.n * t.classes),
        sign(x.n * t.k),
        second_sign(x.n * t.k),
        row(x.n),
        second_row(x.n),
        d_x1(x.n * t.hidden),
        d_u(x.n * t.classes),
        d_y(x.n * t.hidden),
        d_p(x.n * t.hidden),
        sums(x.n),
        d_degree(x.n),
        d_entry(x.n * t.k),
        by_level(x.n * (t.hops + 1)),
        d_sw(x.f * t.hidden),
        feature_room(selection_room(x)),
        input_sums(input_room(x, static_cast<int>(t.hidden))),
        w2_sums(transposed_room({t.hidden, x.n, t.classes})) {
    eval_level.fill_bytes(0);
    level.fill_bytes(0);
  }
};

// X where the kernels read it.
struct HeldX {
  DeviceArray<float> numbers;
  DeviceArray<int64_t> row_ptr, column_ptr, column_entry;
  DeviceArray<int32_t> col, column_row;
  Rows view;

  explicit HeldX(const PaperTask& t);
};

struct Training {
  PaperTask t;
  int n, c, h, k, hops, modules;
  StatePlaces places;
  DeviceArray<uint8_t> state, best;
  DeviceArray<float> mean, square, gradient;
  HeldX x;
  std::vector<int32_t> answered_on_host;
  DeviceArray<int32_t> train, labels, place, answered, shown;
  DeviceArray<float> train_weights, log_right;
  DeviceArray<Clock> clock;
  // Losses, then answers; what goes to the host.
  DeviceArray<uint8_t> report;
  uint8_t* on_host = nullptr;
  DeviceArray<double> parts;
  DeviceArray<float> alpha, d_o, d_logits, d_mix, row_loss, d_alpha;
  std::deque<Workplace> work;
  std::deque<Module> each;
  cudaStream_t own = nullptr;  // of all work; others may use stream() while an epoch is recorded
  std::vector<cudaStream_t> streams;  // of the modules, where they run beside each other
  std::vector<cudaEvent_t> events;
  cudaGraphExec_t whole_epoch = nullptr;
  bool has_hops = false;        // in the training pass that comes next
  bool hops_are_given = false;  // they are read from what the host gave
  bool neighbours_known = false;

  Training(const PaperTask& task, const PaperNumbers& start, std::span<const PatternView> graphs,
           int64_t epochs);
  ~Training();

  template <class T>
  T* at(int64_t place) const {
    return reinterpret_cast<T*>(state.data() + place);
  }
  int64_t answer_rows() const { return answered.size(); }
  double* losses() const { return reinterpret_cast<double*>(report.data()); }
  float* answers() const { return reinterpret_cast<float*>(report.data() + kLossBytes); }
  static constexpr int64_t kLossBytes = 3 * sizeof(double);

  Edges eval_edges(const Module& m) const {
    return m.first.edges(n, k, m.eval_col, m.eval_count, m.eval_a);
  }
  Edges edges(const Module& m) const {
    return m.first.edges(n, k, m.col.data(), m.count.data(), m.a.data());
  }
  Edges second_edges(const Module& m) const {
    return m.second.edges(n, k, m.second_col.data(), m.second_count.data(), m.second_a.data());
  }
  HopGraph hop_graph(const Module& m) const {
    if (!hops_are_given) return second_edges(m).hop_graph();
    return {.row_ptr = m.given_ptr.data(), .col = m.given_col.data()};
  }
  FirstSimilarity similarity(const Module& m, const int32_t* labels_shown,
                             const DeviceArray<uint8_t>& level) const {
    return {.x = x.view,
            .squares = m.squares.data(),
            .shown = labels_shown,
            .label = t.first_weight * t.first_weight,
            .level = level.data(),
            .gain = has_hops ? m.gain.data() : nullptr,
            .levels = hops,
            .row_sum = t.row_sum};
  }
  Drop drop(Stream what, const Module& m, bool training) const {
    return Drop(training ? t.dropout : 0.0f,
                {.seed = t.seed, .stream = what, .owner = static_cast<uint32_t>(m.number)},
                &clock.data()->epoch);
  }
  Layers layers(const Module& m, const Edges& g, bool training) const {
    return {g,
            h,
            c,
            m.p.data(),
            m.w2,
            m.x1.data(),
            m.dropped.data(),
            m.u.data(),
            m.o.data(),
            m.x2,
            drop(Stream::kDropHidden, m, training)};
  }
  Compared compared(const Module& m) const {
    return {edges(m),     second_edges(m),    m.sign.data(), m.second_sign.data(),
            m.row.data(), m.second_row.data()};
  }
  Network network() const {
    return {n,
            c,
            modules,
            at<float>(places.x2),
            at<float>(places.value) + modules * t.of_module(),
            at<float>(places.value) + modules * t.of_module() + int64_t{n} * c,
            parts.data(),
            alpha.data(),
            at<float>(places.network)};
  }
  Targets targets() const {
    return {train.data(),
            labels.data(),
            place.data(),
            train_weights.data(),
            static_cast<int>(train.size()),
            t.entropy_weight};
  }

  template <class Work>
  void for_modules(const Work& do_module);
  void choose_neighbours(Module& m, Workplace& w);
  void forward(Module& m, Workplace& w);
  void backward(Module& m);
  void evaluate(Module& m, Workplace& w);
  void train_epoch();
  void evaluate_epoch();
  void run();
};

}  // namespace paper

struct HeldPaper::Arrays : paper::Training {
  using Training::Training;
};

}  // namespace glgnn::cuda
