// Whole epochs of paper mode (kernels/paper_training.h) against the ops that they consist of, one
// after the other.
#include <algorithm>
#include <cmath>
#include <utility>

#include "check.h"
#include "core/rng.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "kernels/graph_network.h"
#include "kernels/graph_norm.h"
#include "kernels/hops.h"
#include "kernels/layers.h"
#include "kernels/losses.h"
#include "kernels/paper_training.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

// What a case trains on; the numbers of X are its first input, the parameters its second.
struct PaperCase {
  int64_t n, f;
  SharedPattern sparse = {};  // of X; null: dense
  SharedPattern given = {};   // the graph that hops are read from in every epoch; null: none
  int64_t epochs = 2;
  PaperTask task = {};
  std::vector<int32_t> labels = {}, train = {}, val = {};
  std::vector<float> weights = {};
  std::shared_ptr<const Transpose> by_column = {};

  int64_t numbers_of_x() const { return sparse ? sparse->nnz() : n * f; }
  int64_t answers() const { return static_cast<int64_t>(train.size() + val.size()) * task.classes; }
};

// Where each parameter of a module is among its numbers.
struct Place {
  int64_t at, size;
};
std::vector<Place> places_of(const PaperTask& t) {
  const int64_t f = t.features();
  std::vector<Place> places;
  int64_t at = 0;
  for (const int64_t size : {f, f * t.hidden, t.hidden * t.classes, t.hops + 1}) {
    places.push_back({at, size});
    at += size;
  }
  return places;
}

template <class T>
using Numbers = std::vector<T>;

template <class T>
class PaperEpochs {
 public:
  PaperEpochs(const PaperCase& p, const Numbers<T>& x, Numbers<T> value)
      : p_(p),
        t_(p.task),
        x_(x),
        value_(std::move(value)),
        gradient_(value_.size()),
        mean_(value_.size()),
        square_(value_.size()),
        hops_(t_.modules) {
    for (HopPairs& hops : hops_) {
      hops.hops = t_.hops;
      if (p.given) hops = hop_shells(p.given, t_.hops);
    }
  }

  const Numbers<T>& value() const { return value_; }
  const Numbers<T>& mean() const { return mean_; }
  const Numbers<T>& answers() const { return answers_; }
  const Numbers<T>& losses() const { return losses_; }

  void run_epoch(int64_t epoch) {
    std::fill(gradient_.begin(), gradient_.end(), T(0));
    losses_.assign(4, T(0));
    train(epoch);
    ref::adam_step<T>(value_.data(), mean_.data(), square_.data(), gradient_.data(),
                      std::ssize(value_), t_.learning_rate, epoch + 1);
    for (int64_t m = 0; m < t_.modules && !p_.given; ++m) {
      hops_[m] = hop_shells(std::make_shared<Pattern>(modules_[m].second.both.pattern()), t_.hops);
    }
    evaluate(epoch);
  }

 private:
  // A graph from similarities to A'.
  struct Graph {
    Pattern pattern;
    Numbers<T> z, s, p, h, weighed, a, sums, y, roots, d_y;
    std::vector<float> shares;
    SymmetricUnion both;
    int64_t cols = 0;
  };
  struct Module {
    Graph first, second;
    Numbers<T> sw, dropped_x, product, hidden_in, x1, dropped, u, o, x2, d_x2;
  };

  int64_t n() const { return p_.n; }
  const T* parameter(int64_t m, int which) const {
    return value_.data() + m * t_.of_module() + places_of(t_)[which].at;
  }
  T* d_parameter(int64_t m, int which) {
    return gradient_.data() + m * t_.of_module() + places_of(t_)[which].at;
  }
  int64_t network_at() const { return t_.modules * t_.of_module(); }

  Numbers<T> dense_x(const Numbers<T>& values) const {
    if (!p_.sparse) return values;
    Numbers<T> out(n() * p_.f, T(0));
    for (int64_t i = 0; i < n(); ++i) {
      for (int64_t e = p_.sparse->row_ptr[i]; e < p_.sparse->row_ptr[i + 1]; ++e) {
        out[i * p_.f + p_.sparse->col[e]] = values[e];
      }
    }
    return out;
  }

  std::vector<int32_t> shown_in(int64_t epoch) const {
    std::vector<int32_t> shown(n(), -1);
    const Rng rng{t_.seed, Stream::kHideLabels, 0, static_cast<uint32_t>(epoch)};
    for (const int32_t row : p_.train) {
      if (rng.uniform(row) >= t_.hide) shown[row] = p_.labels[row];
    }
    return shown;
  }

  // [labels, rows], a label being `weight` where it is shown.
  Numbers<T> with_labels(const Numbers<T>& rows, int64_t cols, const std::vector<int32_t>& shown,
                         float weight) const {
    Numbers<T> z(n() * (t_.classes + cols), T(0));
    for (int64_t i = 0; i < n(); ++i) {
      T* to = z.data() + i * (t_.classes + cols);
      if (shown[i] >= 0) to[shown[i]] = T(weight);
      std::copy_n(rows.data() + i * cols, cols, to + t_.classes);
    }
    return z;
  }

  void choose(Graph& g, int64_t cols, const HopWeights<T>& hops, bool positive_only) {
    g.cols = t_.classes + cols;
    std::vector<int32_t> col(n() * t_.k);
    std::vector<int64_t> count(n());
    ref::graph_learn_choose<T>(col.data(), count.data(), nullptr,
                               ZDense<T>{view(std::as_const(g.z), n(), g.cols)}, hops,
                               {.k = t_.k, .positive_only = positive_only});
    g.pattern = {n(), n(), {0}, {}};
    for (int64_t i = 0; i < n(); ++i) {
      g.pattern.col.insert(g.pattern.col.end(), col.begin() + i * t_.k,
                           col.begin() + i * t_.k + count[i]);
      g.pattern.row_ptr.push_back(g.pattern.nnz());
    }
    g.s.resize(g.pattern.nnz());
    ref::edge_dot_forward<T>(g.s.data(), g.pattern.view(),
                             ZDense<T>{view(std::as_const(g.z), n(), g.cols)});
  }

  void normalise(Graph& g) {
    g.both = symmetric_union(g.pattern.view());
    g.y.resize(g.both.pattern().nnz());
    g.roots.resize(n());
    ref::symmetric_norm_forward<T>(g.y.data(), g.roots.data(), g.a.data(), g.both,
                                   SymmetricForm::kMean);
    g.d_y.assign(g.y.size(), T(0));
  }

  RowScale scaling() const { return {.target = t_.row_sum}; }

  void first_graph(Module& m, int64_t number, const std::vector<int32_t>& shown) {
    Graph& g = m.first;
    Numbers<T> selected = dense_x(x_);
    const T* s = parameter(number, 0);
    for (int64_t e = 0; e < n() * p_.f; ++e) selected[e] *= s[e % p_.f] * T(t_.shrink);
    g.z = with_labels(selected, p_.f, shown, t_.first_weight);
    Numbers<T> v(t_.hops + 1);
    ref::softplus_forward(v.data(), parameter(number, 3), t_.hops + 1);
    HopWeights<T> weights;
    const HopPairs& hops = hops_[number];
    if (hops.has_graph()) {
      weights.shells = &hops.shells;
      weights.h_of_shell = v.data();
    }
    choose(g, p_.f, weights, false);
    const int64_t pairs = g.pattern.nnz();
    for (auto* list : {&g.p, &g.h, &g.weighed, &g.a}) list->assign(pairs, T(1));
    ref::edge_softmax_forward(g.p.data(), g.s.data(), g.pattern.row_ptr.data(), n());
    if (hops.has_graph()) {
      g.shares.resize(pairs * (t_.hops + 1));
      hop_shares(g.shares.data(), g.pattern.view(), hops, 1);
      ref::hop_gather_forward(g.h.data(), g.shares.data(), pairs, v.data(), t_.hops + 1);
    }
    ref::multiply_forward(g.weighed.data(), g.p.data(), g.h.data(), pairs);
    g.sums.resize(n());
    ref::row_scale_forward(g.a.data(), g.sums.data(), g.weighed.data(), g.pattern.row_ptr.data(),
                           n(), scaling());
    normalise(g);
  }

  void layers(Module& m, int64_t number, uint32_t epoch, T rate) {
    const int64_t h = t_.hidden, c = t_.classes;
    const auto owner = static_cast<uint32_t>(number);
    m.sw.resize(p_.f * h);
    ref::scale_rows_forward<T>(view(m.sw, p_.f, h), {parameter(number, 1), p_.f, h},
                               parameter(number, 0));
    Numbers<T> dropped(x_.size());
    ref::dropout_forward<T>(dropped.data(), x_.data(), std::ssize(x_), rate,
                            {t_.seed, Stream::kDropInput, owner, epoch});
    m.dropped_x = dense_x(dropped);
    for (auto* list : {&m.product, &m.hidden_in, &m.x1, &m.dropped}) list->assign(n() * h, T(0));
    for (auto* list : {&m.u, &m.o, &m.x2, &m.d_x2}) list->assign(n() * c, T(0));
    ref::gemm<T>(view(m.product, n(), h), view(std::as_const(m.dropped_x), n(), p_.f),
                 view(std::as_const(m.sw), p_.f, h), {});
    const PatternView a = m.first.both.pattern().view();
    ref::spmm_forward<T>(view(m.hidden_in, n(), h), a, m.first.y.data(),
                         view(std::as_const(m.product), n(), h));
    ref::relu_forward(m.x1.data(), m.hidden_in.data(), n() * h);
    ref::dropout_forward<T>(m.dropped.data(), m.x1.data(), n() * h, rate,
                            {t_.seed, Stream::kDropHidden, owner, epoch});
    ref::gemm<T>(view(m.u, n(), c), view(std::as_const(m.dropped), n(), h),
                 {parameter(number, 2), h, c}, {});
    ref::spmm_forward<T>(view(m.o, n(), c), a, m.first.y.data(), view(std::as_const(m.u), n(), c));
    ref::row_softmax_forward<T>(view(m.x2, n(), c), view(std::as_const(m.o), n(), c));
  }

  struct Mixed {
    Numbers<T> x_agg, alpha, network, logits, d_agg;
    std::vector<MatView<const T>> all;
    std::vector<MatView<T>> d_all;
  };
  Numbers<T> equal_parts() const {
    return Numbers<T>(t_.modules, T(1) / static_cast<T>(t_.modules));
  }
  void mix(Mixed& w) {
    const int64_t c = t_.classes, u = t_.modules + 1;
    w.x_agg.resize(n() * c);
    w.logits.resize(n() * c);
    w.d_agg.assign(n() * c, T(0));
    w.alpha.resize(u * u);
    w.network.resize(u * u);
    for (Module& m : modules_) {
      w.all.push_back(view(std::as_const(m.x2), n(), c));
      w.d_all.push_back(view(m.d_x2, n(), c));
    }
    ref::network_mix_forward<T>(view(w.x_agg, n(), c), w.all, equal_parts().data());
    w.all.push_back(view(std::as_const(w.x_agg), n(), c));
    w.d_all.push_back(view(w.d_agg, n(), c));
    ref::network_alpha_forward<T>(view(w.alpha, u, u), w.all, attention());
    ref::gemm<T>(view(w.network, u, u), view(std::as_const(w.alpha), u, u), weights(), {});
    ref::network_mix_forward<T>(view(w.logits, n(), c), w.all, w.network.data() + (u - 1) * u);
  }
  MatView<const T> attention() const { return {value_.data() + network_at(), n(), t_.classes}; }
  MatView<const T> weights() const {
    const int64_t u = t_.modules + 1;
    return {value_.data() + network_at() + n() * t_.classes, u, u};
  }

  void train(int64_t epoch) {
    const std::vector<int32_t> shown = shown_in(epoch);
    modules_.assign(t_.modules, {});
    for (int64_t m = 0; m < t_.modules; ++m) {
      Module& now = modules_[m];
      first_graph(now, m, shown);
      layers(now, m, static_cast<uint32_t>(epoch), T(t_.dropout));
      Graph& second = now.second;
      second.z = with_labels(now.x1, t_.hidden, shown, t_.second_weight);
      choose(second, t_.hidden, {}, true);
      second.a = second.s;
      normalise(second);
      losses_[0] += T(t_.graph_weight) *
                    ref::sparse_l1_forward<T>(now.first.both.pattern().view(), now.first.y.data(),
                                              second.both.pattern().view(), second.y.data());
      losses_[2] += T(t_.decay) * ref::sum_squares_forward<T>(parameter(m, 1), p_.f * t_.hidden);
    }
    Mixed w;
    mix(w);
    const int64_t c = t_.classes, u = t_.modules + 1;
    losses_[1] =
        T(t_.entropy_weight) * ref::cross_entropy_forward<T>(view(std::as_const(w.logits), n(), c),
                                                             p_.train, p_.labels.data());
    Numbers<T> d_logits(n() * c), d_network(u * u), d_alpha(u * u);
    ref::cross_entropy_backward<T>(view(d_logits, n(), c), T(t_.entropy_weight),
                                   view(std::as_const(w.logits), n(), c), p_.train,
                                   p_.labels.data());
    ref::network_mix_backward<T>(w.d_all, d_network.data() + (u - 1) * u,
                                 view(std::as_const(d_logits), n(), c), w.all,
                                 w.network.data() + (u - 1) * u);
    ref::gemm<T>(view(d_alpha, u, u), view(std::as_const(d_network), u, u), weights(),
                 {.transpose_b = true});
    T* const d_a = gradient_.data() + network_at();
    ref::gemm<T>({d_a + n() * c, u, u}, view(std::as_const(w.alpha), u, u),
                 view(std::as_const(d_network), u, u), {.transpose_a = true});
    ref::network_alpha_backward<T>(w.d_all, {d_a, n(), c}, view(std::as_const(d_alpha), u, u),
                                   w.all, attention());
    const Numbers<T> parts = equal_parts();
    ref::network_mix_backward<T>(std::span<const MatView<T>>(w.d_all).first(t_.modules), nullptr,
                                 view(std::as_const(w.d_agg), n(), c),
                                 std::span<const MatView<const T>>(w.all).first(t_.modules),
                                 parts.data());
    for (int64_t m = 0; m < t_.modules; ++m) backward(m, epoch);
  }

  void backward(int64_t number, int64_t epoch) {
    Module& m = modules_[number];
    Graph &g = m.first, &second = m.second;
    const int64_t h = t_.hidden, c = t_.classes;
    const PatternView a = g.both.pattern().view();
    ref::sparse_l1_backward<T>(g.d_y.data(), second.d_y.data(), T(t_.graph_weight), a, g.y.data(),
                               second.both.pattern().view(), second.y.data());
    Numbers<T> d_o(n() * c), d_u(n() * c), d_dropped(n() * h), d_x1(n() * h), d_in(n() * h),
        d_product(n() * h), d_sw(p_.f * h);
    ref::row_softmax_backward<T>(view(d_o, n(), c), view(std::as_const(m.d_x2), n(), c),
                                 view(std::as_const(m.x2), n(), c));
    const auto through_graph = [&](Numbers<T>& d_x, const Numbers<T>& d_out, const Numbers<T>& x,
                                   int64_t cols) {
      ref::spmm_backward_values<T>(g.d_y.data(), a, view(d_out, n(), cols), view(x, n(), cols));
      ref::spmm_backward_x<T>(view(d_x, n(), cols), g.both.mirrored.view(), g.y.data(),
                              view(d_out, n(), cols));
    };
    through_graph(d_u, d_o, m.u, c);
    ref::gemm<T>(view(d_dropped, n(), h), view(std::as_const(d_u), n(), c),
                 {parameter(number, 2), h, c}, {.transpose_b = true});
    ref::gemm<T>({d_parameter(number, 2), h, c}, view(std::as_const(m.dropped), n(), h),
                 view(std::as_const(d_u), n(), c), {.transpose_a = true});
    const auto owner = static_cast<uint32_t>(number), step = static_cast<uint32_t>(epoch);
    ref::dropout_backward<T>(d_x1.data(), d_dropped.data(), n() * h, T(t_.dropout),
                             {t_.seed, Stream::kDropHidden, owner, step});
    back_through_second(d_x1, second);
    ref::relu_backward<T>(d_in.data(), d_x1.data(), m.hidden_in.data(), n() * h);
    through_graph(d_product, d_in, m.product, h);
    ref::gemm<T>(view(d_sw, p_.f, h), view(std::as_const(m.dropped_x), n(), p_.f),
                 view(std::as_const(d_product), n(), h), {.transpose_a = true});
    ref::scale_rows_backward<T>({d_parameter(number, 1), p_.f, h}, d_parameter(number, 0),
                                view(std::as_const(d_sw), p_.f, h), {parameter(number, 1), p_.f, h},
                                parameter(number, 0));
    ref::sum_squares_backward<T>(d_parameter(number, 1), T(t_.decay), parameter(number, 1),
                                 p_.f * h);
    back_through_first(number, g);
  }

  void back_through_norm(Numbers<T>& d_a, Graph& g) {
    Numbers<T> scratch(n());
    ref::symmetric_norm_backward<T>(d_a.data(), scratch.data(), g.d_y.data(), g.y.data(),
                                    g.roots.data(), g.a.data(), g.pattern.view(), g.both,
                                    SymmetricForm::kMean);
  }
  void back_through_dots(Numbers<T>& d_z, const Numbers<T>& d_s, Graph& g) {
    const Transpose transposed = transpose(g.pattern.view());
    ref::edge_dot_backward<T>(view(d_z, n(), g.cols), d_s.data(), g.pattern.view(),
                              transposed.view(), ZDense<T>{view(std::as_const(g.z), n(), g.cols)});
  }

  void back_through_second(Numbers<T>& d_x1, Graph& g) {
    Numbers<T> d_a(g.pattern.nnz()), d_z(n() * g.cols);
    back_through_norm(d_a, g);
    back_through_dots(d_z, d_a, g);
    ref::concat_backward<T>(view(d_x1, n(), t_.hidden), view(std::as_const(d_z), n(), g.cols));
  }

  void back_through_first(int64_t number, Graph& g) {
    const int64_t pairs = g.pattern.nnz();
    Numbers<T> d_a(pairs), d_weighed(pairs), d_p(pairs), d_h(pairs), d_s(pairs), d_z(n() * g.cols),
        d_v(t_.hops + 1);
    back_through_norm(d_a, g);
    ref::row_scale_backward<T>(d_weighed.data(), d_a.data(), g.a.data(), g.sums.data(),
                               g.pattern.row_ptr.data(), n(), scaling());
    ref::multiply_backward<T>(d_p.data(), d_weighed.data(), g.h.data(), pairs);
    ref::multiply_backward<T>(d_h.data(), d_weighed.data(), g.p.data(), pairs);
    if (hops_[number].has_graph()) {
      ref::hop_gather_backward<T>(d_v.data(), d_h.data(), g.shares.data(), pairs, t_.hops + 1);
      ref::softplus_backward<T>(d_parameter(number, 3), d_v.data(), parameter(number, 3),
                                t_.hops + 1);
    }
    ref::edge_softmax_backward<T>(d_s.data(), d_p.data(), g.p.data(), g.pattern.row_ptr.data(),
                                  n());
    back_through_dots(d_z, d_s, g);
    const Numbers<T> x = dense_x(x_);
    T* const d_select = d_parameter(number, 0);
    for (int64_t i = 0; i < n(); ++i) {
      for (int64_t f = 0; f < p_.f; ++f) {
        d_select[f] += T(t_.shrink) * d_z[i * g.cols + t_.classes + f] * x[i * p_.f + f];
      }
    }
  }

  void evaluate(int64_t epoch) {
    const std::vector<int32_t> none(n(), -1);
    for (int64_t m = 0; m < t_.modules; ++m) {
      first_graph(modules_[m], m, none);
      layers(modules_[m], m, static_cast<uint32_t>(epoch), T(0));
    }
    Mixed w;
    mix(w);
    const int64_t c = t_.classes;
    Numbers<T> y(n() * c);
    ref::row_softmax_forward<T>(view(y, n(), c), view(std::as_const(w.logits), n(), c));
    answers_.clear();
    for (const auto* rows : {&p_.train, &p_.val}) {
      for (const int32_t row : *rows) {
        answers_.insert(answers_.end(), y.data() + row * c, y.data() + (row + 1) * c);
      }
    }
    losses_[3] = static_cast<T>(ref::cross_entropy_forward<T>(view(std::as_const(w.logits), n(), c),
                                                              p_.val, p_.labels.data()));
  }

  const PaperCase& p_;
  const PaperTask& t_;
  const Numbers<T>& x_;
  Numbers<T> value_, gradient_, mean_, square_, answers_, losses_;
  std::vector<HopPairs> hops_;
  std::vector<Module> modules_;
};

// Lists the parts of `numbers` by parameter, those of all modules together, from output `o` on.
template <class T>
void give_numbers(Run<T>& r, const PaperTask& t, const Numbers<T>& numbers, size_t o) {
  for (const Place& place : places_of(t)) {
    r.out[o].clear();
    for (int64_t m = 0; m < t.modules; ++m) {
      const T* from = numbers.data() + m * t.of_module() + place.at;
      r.out[o].insert(r.out[o].end(), from, from + place.size);
    }
    ++o;
  }
  const auto network = numbers.begin() + t.modules * t.of_module();
  r.out[o].assign(network, network + t.rows() * t.classes);
  r.out[o + 1].assign(network + t.rows() * t.classes, numbers.end());
}

template <class T>
void train_paper(Run<T>& r, const PaperCase& p) {
  PaperEpochs<T> epochs(p, r.in[0], r.in[1]);
  for (int64_t epoch = 0; epoch < p.epochs; ++epoch) epochs.run_epoch(epoch);
  give_numbers(r, p.task, p.task.learning_rate > 0 ? epochs.value() : epochs.mean(), 0);
  r.out[6] = epochs.losses();
  r.out[7] = epochs.answers();
}

void train_paper_on_cuda(Run<float>& r, const PaperCase& p) {
  PaperTask task = p.task;
  task.x.data = r.in[0].data();
  task.x_values = r.in[0].data();
  const std::vector<float> zeros(r.in[1].size());
  const std::vector<PatternView> graphs(p.given ? task.modules : 0,
                                        p.given ? p.given->view() : PatternView{});
  cuda::HeldPaper held(task, {r.in[1], zeros, zeros}, graphs, 0);
  Matrix answers(p.n, task.classes);
  PaperLosses losses;
  for (int64_t epoch = 0; epoch < p.epochs; ++epoch) losses = held.run_epoch(answers.view());
  const PaperNumbers now = held.numbers();
  give_numbers(r, task, task.learning_rate > 0 ? now.value : now.mean, 0);
  r.out[6] = {static_cast<float>(losses.graph), static_cast<float>(losses.entropy),
              static_cast<float>(losses.decay), static_cast<float>(losses.val_entropy)};
  r.out[7].clear();
  for (const auto* rows : {&p.train, &p.val}) {
    for (const int32_t row : *rows) {
      r.out[7].insert(r.out[7].end(), answers[row], answers[row] + task.classes);
    }
  }
}

struct PaperSizes {
  int64_t n, f, classes, hidden, k, modules = 2, hops = 2, epochs = 2;
  double learning_rate = 0;  // 0: outputs are the gradients' means, else the parameters
  bool sparse = false, given = false;
};

Case paper_case(std::string name, const PaperSizes& s) {
  auto p = std::make_shared<PaperCase>(PaperCase{.n = s.n, .f = s.f, .epochs = s.epochs});
  if (s.sparse) {
    p->sparse = random_pattern(5, s.n, s.f, std::max<int64_t>(3, s.f / 3));
    p->by_column = std::make_shared<Transpose>(transpose(p->sparse->view()));
  }
  if (s.given) p->given = random_graph(6, s.n, 3);
  for (int64_t i = 0; i < s.n; ++i) {
    p->labels.push_back(static_cast<int32_t>((i * 7 + i / 5) % s.classes));
    if (i % 3 == 0) p->train.push_back(static_cast<int32_t>(i));
    if (i % 3 == 1) p->val.push_back(static_cast<int32_t>(i));
  }
  p->weights.assign(p->train.size(), 1.0f / static_cast<float>(p->train.size()));
  PaperTask& t = p->task;
  t = {.labels = p->labels,
       .train = p->train,
       .val = p->val,
       .train_weights = p->weights,
       .classes = s.classes,
       .modules = s.modules,
       .hidden = s.hidden,
       .k = s.k,
       .hops = s.hops,
       .row_sum = static_cast<float>(s.k),
       .shrink = 1.5f,
       .first_weight = 1.0f,
       .second_weight = 0.7f,
       .hide = 0.4f,
       .dropout = 0.3f,
       .graph_weight = 0.02f,
       .entropy_weight = 1.2f,
       .decay = 0.01f,
       .hops_stay = s.given,
       .learning_rate = s.learning_rate,
       .seed = 3};
  if (s.sparse) {
    t.x_pattern = p->sparse->view();
    t.x_by_column = p->by_column->view();
  } else {
    t.x = {nullptr, s.n, s.f};
  }
  std::vector<double> start = uniform(2, t.numbers(), -0.6, 0.6);
  for (int64_t m = 0; m < s.modules; ++m) {
    for (int64_t f = 0; f < s.f; ++f) start[m * t.of_module() + f] += 1.0;
  }
  Case c{.name = std::move(name)};
  c.in = {{"x", uniform(1, p->numbers_of_x())}, {"start", start}};
  const std::vector<Place> places = places_of(t);
  const char* const names[] = {"s", "w1", "w2", "v"};
  for (size_t i = 0; i < places.size(); ++i)
    c.out.push_back({names[i], s.modules * places[i].size});
  c.out.push_back({"a", s.n * s.classes});
  c.out.push_back({"b", (s.modules + 1) * (s.modules + 1)});
  c.out.push_back({"losses", 4});
  c.out.push_back({"answers", p->answers()});
  c.forward = [=]<class T>(Run<T>& r) { train_paper(r, *p); };
  c.no_gradient = "it is a training";
  c.naive_limit = 1e-4;
  return with_cuda(std::move(c), [=](Run<float>& r, int) { train_paper_on_cuda(r, *p); });
}

std::vector<Case> paper_cases() {
  return {
      paper_case("dense, one epoch",
                 {.n = 37, .f = 5, .classes = 3, .hidden = 7, .k = 4, .epochs = 1}),
      paper_case("dense, hops of the last epoch",
                 {.n = 61, .f = 9, .classes = 3, .hidden = 8, .k = 5}),
      paper_case("sparse", {.n = 61, .f = 30, .classes = 4, .hidden = 8, .k = 5, .sparse = true}),
      paper_case(
          "sparse, over a given graph",
          {.n = 61, .f = 30, .classes = 4, .hidden = 8, .k = 5, .sparse = true, .given = true}),
      paper_case("dense, over a given graph, three epochs",
                 {.n = 61, .f = 9, .classes = 3, .hidden = 33, .k = 5, .epochs = 3, .given = true}),
      paper_case("k 40, three hops, one module",
                 {.n = 83, .f = 70, .classes = 5, .hidden = 6, .k = 40, .modules = 1, .hops = 3}),
      paper_case("40 classes", {.n = 150, .f = 6, .classes = 40, .hidden = 40, .k = 6}),
      paper_case(
          "parameters after a step",
          {.n = 61, .f = 9, .classes = 3, .hidden = 8, .k = 5, .epochs = 1, .learning_rate = 0.01}),
      paper_case("700 rows",
                 {.n = 700, .f = 20, .classes = 4, .hidden = 32, .k = 10, .modules = 3}),
  };
}

}  // namespace

std::vector<Op> paper_ops() {
  return {{"held_paper", paper_cases, [] { return std::vector<Case>{}; }}};
}

}  // namespace glgnn::op_check
