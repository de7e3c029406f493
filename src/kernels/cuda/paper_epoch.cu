// The order of the pieces (paper.cuh) in an epoch. Few rows leave most of the device without work,
// so the modules run beside each other.
#include <algorithm>

#include "kernels/cuda/paper_arrays.cuh"

namespace glgnn::cuda::paper {
namespace {

struct FinishSecondWeights {
  float* out;
  const float* w;
  float decay;
  __device__ void operator()(int64_t e, float sum) const { out[e] = sum + 2 * decay * w[e]; }
};

}  // namespace

// do_module(module, where it works), beside each other where there is a place for each.
template <class Work>
void Training::for_modules(const Work& do_module) {
  if (streams.empty()) {
    for (Module& m : each) do_module(m, work.front());
    return;
  }
  check(cudaEventRecord(events.back(), stream()), "marking a moment");
  for (int m = 0; m < modules; ++m) {
    check(cudaStreamWaitEvent(streams[m], events.back()), "waiting for an event");
    {
      const OnStream beside(streams[m]);
      do_module(each[m], work[m]);
    }
    check(cudaEventRecord(events[m], streams[m]), "marking a moment");
    check(cudaStreamWaitEvent(stream(), events[m]), "waiting for an event");
  }
}

// By features alone, with the parameters as they are now: of this evaluation, and what the next
// training pass starts from.
void Training::choose_neighbours(Module& m, Workplace& w) {
  prepare({m.s, m.w1, m.v, x.view.f, x.view.stride, h, hops, t.shrink, m.scaled.data(),
           m.squares.data(), m.sw.data(), m.gain.data()});
  pack_selected(w.packed, x.view, m.scaled.data());
  ChooseRule rule{.k = k};
  const int64_t at_once = has_hops ? w.hops.rows_at_once() : n;
  for (int64_t first = 0; first < n; first += at_once) {
    const int64_t size = std::min(at_once, n - first);
    if (has_hops) rule.hops = w.hops.mark(hop_graph(m), m.gain.data(), first, size);
    choose(m.eval_col + first * k, m.eval_count + first, nullptr, {w.packed, first, size}, w.packed,
           rule, w.room);
    if (has_hops) find_levels(m.eval_level.data(), eval_edges(m), rule.hops, first, size);
  }
}

void Training::forward(Module& m, Workplace& w) {
  const Edges g = edges(m), second = second_edges(m);
  const int64_t slots = int64_t{n} * k;
  copy_on_device(m.col.data(), m.eval_col, 4 * slots);
  copy_on_device(m.count.data(), m.eval_count, 8 * int64_t{n});
  copy_on_device(m.level.data(), m.eval_level.data(), slots);
  const FirstSimilarity how = similarity(m, shown.data(), m.level);
  const int rows = static_cast<int>(train.size());
  const int at_once = static_cast<int>(std::min<int64_t>(rows, w.hops.rows_at_once()));
  for (int first = 0; first < rows; first += at_once) {
    const int size = std::min(at_once, rows - first);
    HopMarks marks;
    if (has_hops) marks = w.hops.mark(hop_graph(m), m.gain.data(), first, size, train.data());
    rechoose(g, m.level.data(),
             {how, train.data(), rows, first, size, marks, w.keys.data(), w.columns.data()});
  }
  weigh_first(g, how);
  list_by_columns(g, w.sort);
  normalise(g);
  input_product(m.p.data(), m.dropped_x.data(), x.view, m.sw.data(), h,
                drop(Stream::kDropInput, m, true));
  layers_forward(layers(m, g, true));
  pack_hidden(w.second_packed, m.x1.data(), n, h, shown.data(), t.second_weight > 0 ? c : 0,
              t.second_weight);
  choose(m.second_col.data(), m.second_count.data(), nullptr, {w.second_packed, 0, n},
         w.second_packed, {.k = k, .positive_only = true}, w.second_room);
  weigh_second(second, m.x1.data(), h, shown.data(), t.second_weight * t.second_weight);
  list_by_columns(second, w.sort);
  normalise(second);
  compare_graphs(compared(m));
}

void Training::backward(Module& m) {
  const Edges g = edges(m);
  second_gradient(m.d_x1.data(), compared(m), m.x1.data(), h, t.graph_weight);
  layers_backward(layers(m, g, true),
                  {m.d_o, m.d_x1.data(), m.row.data(), t.graph_weight, m.d_u.data(), m.d_y.data(),
                   m.d_p.data(), m.sums.data(), m.d_degree.data()});
  transposed_product(Plain{m.dropped.data(), h}, Plain{m.d_u.data(), c}, {h, n, c},
                     FinishSecondWeights{m.d_w2, m.w2, t.decay_second ? t.decay : 0.0f},
                     m.w2_sums.data());
  input_gradient(m.d_sw.data(), m.dropped_x.data(), x.view, m.d_p.data(), h,
                 drop(Stream::kDropInput, m, true), m.input_sums.data());
  edge_gradient(
      m.d_entry.data(), m.by_level.data(),
      {g, m.p.data(), m.d_y.data(), m.u.data(), m.d_o, h, c, m.sign.data(), t.graph_weight,
       m.d_degree.data(), t.row_sum, m.level.data(), has_hops ? hops : 0});
  feature_gradient({x.view, g, m.d_entry.data(), m.d_sw.data(), m.scaled.data(), m.s, m.w1, h,
                    t.shrink, t.decay, m.feature_room.data(), m.d_s, m.d_w1});
  if (has_hops) hop_gradient(m.d_v, m.by_level.data(), m.v, n, hops);
}

void Training::evaluate(Module& m, Workplace& w) {
  choose_neighbours(m, w);
  const Edges g = eval_edges(m);
  weigh_first(g, similarity(m, nullptr, m.eval_level));
  list_by_columns(g, w.sort);
  normalise(g);
  input_product(m.p.data(), m.dropped_x.data(), x.view, m.sw.data(), h,
                drop(Stream::kDropInput, m, false));
  layers_forward(layers(m, g, false));
}

void Training::train_epoch() {
  begin_epoch(clock.data(), t.learning_rate);
  show_labels(shown.data(), targets(), n,
              Drop(t.hide, {.seed = t.seed, .stream = Stream::kHideLabels}, &clock.data()->epoch));
  for_modules([&](Module& m, Workplace& w) { forward(m, w); });
  network_forward(network());
  float* const d_a = gradient.data() + modules * t.of_module();
  network_backward(network(), targets(),
                   {d_logits.data(), d_mix.data(), row_loss.data(), d_alpha.data(), d_a,
                    d_a + int64_t{n} * c, d_o.data()},
                   losses() + 1);
  for_modules([&](Module& m, Workplace&) { backward(m); });
  for (const Module& m : each) {
    sum_of_rows(losses(), m.row.data(), m.second_row.data(), n, t.graph_weight, m.number > 0);
    sum_of_squares(losses() + 2, m.w1, int64_t{x.view.f} * h, t.decay, m.number > 0);
    if (t.decay_second) sum_of_squares(losses() + 2, m.w2, h * c, t.decay, true);
  }
  adam_step(at<float>(places.value), mean.data(), square.data(), gradient.data(), t.numbers(),
            clock.data());
  end_epoch(clock.data());
}

void Training::evaluate_epoch() {
  for_modules([&](Module& m, Workplace& w) { evaluate(m, w); });
  network_forward(network());
  predict(at<float>(places.y), log_right.data(), network(), labels.data());
  gather_answers(answers(), at<float>(places.y), log_right.data(), answered.data(),
                 static_cast<int>(answer_rows()), c, static_cast<int>(train.size()));
  check(cudaMemcpyAsync(on_host, report.data(), report.size(), cudaMemcpyDeviceToHost, stream()),
        "copying from the device");
}

void Training::run() {
  if (!neighbours_known) {
    for_modules([&](Module& m, Workplace& w) { choose_neighbours(m, w); });
    neighbours_known = true;
  }
  train_epoch();
  if (!t.hops_stay) hops_are_given = false;
  has_hops = true;
  evaluate_epoch();
}

}  // namespace glgnn::cuda::paper
