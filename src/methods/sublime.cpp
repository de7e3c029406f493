// SUBLIME: a graph is learned without labels, so that a row says the same over it and over an
// anchor graph, and different rows do not; a GCN then reads it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rows.h"
#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/pair_rows.h"
#include "network/fuse.h"

namespace glgnn {
namespace {

constexpr int64_t kBatch = 512;       // rows that are told apart at once
constexpr float kTemperature = 0.2f;  // of their similarities
constexpr float kDropped = 0.2f;      // part of features and edges that a view lacks
constexpr int64_t kEpochsOfAnAnchor = 10;

// Some rows of one matrix above (or below) empty rows, so that two sums make one matrix.
Spread rows_at(const std::vector<int32_t>& rows, int64_t of, bool above) {
  const auto count = static_cast<int64_t>(rows.size());
  auto pattern = std::make_shared<Pattern>(Pattern{2 * count, of, {0}, rows});
  for (int64_t r = 1; r <= 2 * count; ++r) {
    pattern->row_ptr.push_back(std::clamp<int64_t>(above ? r : r - count, 0, count));
  }
  return spread_over(Csr{pattern, std::vector<float>(rows.size(), 1.0f)});
}

// Row r beside row r + count, both ways.
SharedPattern two_views(int64_t count) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = 2 * count;
  for (int64_t r = 0; r < 2 * count; ++r) {
    pattern->col.push_back(static_cast<int32_t>((r + count) % (2 * count)));
    pattern->row_ptr.push_back(r + 1);
  }
  return pattern;
}

class Contrast {
 public:
  explicit Contrast(const MethodTask& task)
      : task_(task),
        x_(*task.problem.features),
        encoder_(x_, task.count("embedding"), task.count("embedding"), task.seed, 5),
        project1_(start_weights("project1", task.count("embedding"), task.count("embedding"),
                                task.seed, 30)),
        project2_(start_weights("project2", task.count("embedding"), task.count("embedding"),
                                task.seed, 31)),
        columns_("columns", 1, x_.cols(), 1.0f),
        pairs_(task.count("k"), no_edges(x_.rows())),
        anchor_(normalised_graph(task.problem.graph ? *task.problem.graph : no_edges(x_.rows()))),
        tape_(task.context, true) {
    network_.parameters = {&project1_, &project2_, &columns_};
    encoder_.join(network_);
  }

  Csr learn() {
    Csr learned;
    for (int64_t epoch = 1; epoch <= task_.count("contrasts"); ++epoch) {
      learned = step(epoch);
      if (epoch % kEpochsOfAnAnchor == 0) {
        const auto kept = static_cast<float>(task_.value("anchor"));
        anchor_ = weighted_union({&anchor_, &learned}, {kept, 1 - kept});
      }
    }
    return learned;
  }

 private:
  Var view(const SparseVar& graph, uint64_t seed, int64_t epoch) {
    const NetworkPass pass{.seed = seed, .epoch = epoch, .dropout = kDropped};
    SparseVar thinned = graph;
    thinned.values = dropout(tape_, graph.values, kDropped, pass.numbers(40));
    const Var vectors = encoder_.logits(tape_, pass, spread_over(thinned));
    const Var h = relu(tape_, linear(tape_, vectors, tape_.parameter(project1_)));
    return linear(tape_, h, tape_.parameter(project2_));
  }

  Csr step(int64_t epoch) {
    const RowsVar rows = encoder_.input().weighted(tape_, tape_.parameter(columns_));
    pairs_.choose(tape_, rows, {.seed = task_.seed, .epoch = epoch});
    const Var similar = relu(tape_, edge_dot(tape_, pairs_.pattern(), rows, pairs_.work()));
    const SparseVar learned = symmetric_norm(
        tape_, {pairs_.pattern(), similar, nullptr, pairs_.work()}, SymmetricForm::kMean);
    Matrix values(anchor_.nnz(), 1);
    std::copy(anchor_.values.begin(), anchor_.values.end(), values.data());
    const SparseVar anchor{anchor_.pattern, Tape::constant(tape_.keep(std::move(values))),
                           std::make_shared<Transpose>(transpose(anchor_.pattern->view()))};

    std::vector<int32_t> batch(static_cast<size_t>(x_.rows()));
    std::iota(batch.begin(), batch.end(), 0);
    batch = shuffled_rows(std::move(batch),
                          {task_.seed, Stream::kModules, 5, static_cast<uint32_t>(epoch)});
    batch.resize(static_cast<size_t>(std::min(kBatch, x_.rows())));
    const Spread& put_above = tape_.keep(rows_at(batch, x_.rows(), true));
    const Spread& put_below = tape_.keep(rows_at(batch, x_.rows(), false));
    const Var above = put_above(tape_, view(learned, task_.seed, epoch));
    const Var below = put_below(tape_, view(anchor, task_.seed + 1000, epoch));
    const RowsVar both =
        unit_rows(tape_, {add(tape_, above, below), nullptr, nullptr}, std::sqrt(1 / kTemperature));
    // The mean of log sum_j exp(s_ij) - s_ii', i' being the other view of the row.
    const Var all = graph_learn_choose(tape_, both, nullptr, {}, {.k = 1}, true).lse;
    const Var same = edge_dot(tape_, two_views(std::ssize(batch)), both);
    const float each = 1.0f / static_cast<float>(both.rows());
    add_gradient(tape_, all, Matrix(all.rows(), 1, each));
    add_gradient(tape_, same, Matrix(same.rows(), 1, -each));
    tape_.backward();
    Csr graph = copy_of(learned);
    tape_.clear();
    step_all(network_.parameters, task_.value("learning_rate"), epoch);
    return graph;
  }

  const MethodTask& task_;
  const Features& x_;
  GraphLayers encoder_;
  Parameter project1_, project2_, columns_;
  NearestPairs pairs_;
  Csr anchor_;
  Tape tape_;
  Network network_;
};

MethodAnswer fit_sublime(const MethodTask& task) {
  Csr graph = Contrast(task).learn();
  MethodAnswer answer = fit_two_layers(task, spread_over(graph));
  answer.graph = std::move(graph);
  return answer;
}

}  // namespace

Method sublime_method() {
  return {.name = "sublime",
          .paper = "Liu, Zheng, Zhang, Chen, Peng and Pan, WWW 2022",
          .text = "GCN over a graph learned without labels, by contrast with an anchor graph",
          .settings =
              std::vector<MethodSetting>{
                  {"k", 20, {10, 20, 30}, "neighbours of each row"},
                  {"embedding", 64, {32, 64}, "units of the vectors that are contrasted"},
                  {"contrasts", 100, {100}, "epochs without labels"},
                  {"anchor", 0.99, {0.9, 0.99, 1}, "part of the anchor graph that stays"}} +
              convolution_settings(),
          .fit = fit_sublime};
}

}  // namespace glgnn
