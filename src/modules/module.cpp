#include "modules/module.h"

#include <algorithm>
#include <cmath>

#include "kernels/propagate.h"

namespace glgnn {
namespace {

struct Stage {
  Matrix p;
  std::vector<float> selection;
  bool chose_epoch = false;  // by validation labels
  double own_weight = 1;     // of the row itself in a propagation; all of it where there is none
  GnnLayers layers = {};
  bool has_prototypes = false;
  LandmarkHead landmarks = {};
  std::vector<Matrix> looks = {};  // what it said of the validation rows before it chose; or empty
};

double own_weight(const Smoothing& smoothing) { return smoothing.steps > 0 ? smoothing.alpha : 1; }

class ModuleRun {
 public:
  ModuleRun(const ModuleSpec& spec, SharedInputs& shared, const Context& context)
      : spec_(spec), shared_(shared), problem_(shared.problem()), context_(context) {}

  // `start`, if given, is what the network of graphs has learned: one round from there.
  ModuleResult run(const ModuleStart* start) {
    ModuleResult best;
    Stage last;
    if (start) last = {.p = start->p, .selection = start->selection};
    const int64_t first = start ? spec_.rounds : 0;
    const int64_t rounds = start ? spec_.rounds + 1 : spec_.rounds;
    for (int64_t round = first; round < rounds; ++round) {
      const bool rebuilds = round > 0;
      const std::shared_ptr<const Csr> graph =
          rebuilds ? rebuilt_graph(last) : shared_.first_graph(spec_, context_);
      const std::vector<float> graph_selection =
          rebuilds && spec_.graph.select > 0 ? last.selection : std::vector<float>();
      for (Stage& stage : run_head(*graph, last.p, static_cast<uint32_t>(round))) {
        Score score = validation_score(stage.p, problem_);
        if (stage.chose_epoch) score.optimism = optimism_of_chosen(score.accuracy, problem_);
        if (stage.looks.empty()) stage.looks.push_back(validation_rows(stage.p, problem_));
        std::move(stage.looks.begin(), stage.looks.end(), std::back_inserter(best.looks));
        stage.looks.clear();
        last = std::move(stage);
        // The later stage wins a tie: it knows more.
        if (!best.p.empty() && score.value() < best.score.value()) continue;
        best.p = last.p;
        best.graph = graph;
        best.selection = last.selection;
        best.score = score;
        best.layers = last.layers;
        best.has_prototypes = last.has_prototypes;
        best.landmarks = last.landmarks;
        best.own_weight = last.own_weight;
        best.graph_selection = graph_selection;
        best.graph_knows_labels = rebuilds && spec_.graph.label_weight > 0;
      }
    }
    best.spec = spec_;
    return best;
  }

 private:
  std::shared_ptr<const Csr> rebuilt_graph(const Stage& before) {
    RowGraphInputs inputs{
        .selection = &before.selection, .soft_labels = &before.p, .given = problem_.graph};
    for (const View view : spec_.views) inputs.views.push_back(&shared_.view(view));
    return std::make_shared<Csr>(build_row_graph(inputs, spec_.graph, context_.threads));
  }

  std::vector<Stage> run_head(const Csr& graph, const Matrix& last, uint32_t round) {
    std::vector<Stage> stages;
    const Features& x = shared_.view(spec_.input);
    const auto add = [&](Matrix p, double own_weight) {
      std::vector<float> selection = separation(x, p);
      stages.push_back({.p = std::move(p),
                        .selection = std::move(selection),
                        .own_weight = own_weight,
                        .has_prototypes = spec_.head != Head::kSpread});
    };
    switch (spec_.head) {
      case Head::kSpread:
        add(spread_labels(graph, problem_, spec_.class_mass, context_.threads), 0);
        break;
      case Head::kGaussian:
        add(gaussian(graph, x), own_weight(spec_.gaussian.smoothing));
        break;
      case Head::kMultinomial: {
        std::vector<Matrix> looks;
        add(multinomial(graph, x, last, &looks), own_weight(spec_.multinomial.smoothing));
        stages.back().looks = std::move(looks);
        break;
      }
      case Head::kGnn:
        stages.push_back(gnn(graph, x, last, round));
        break;
      case Head::kGnnTaught: {
        add(multinomial(graph, shared_.view(spec_.teacher_input), last),
            own_weight(spec_.multinomial.smoothing));
        const Matrix teacher = stages.back().p;
        stages.push_back(gnn(graph, x, teacher, round));
        Stage mixed = stages.back();
        mix(mixed.p, teacher);
        mixed.has_prototypes = true;
        stages.push_back(std::move(mixed));
        break;
      }
      case Head::kLandmark:
        return landmark(graph, x, round);
    }
    return stages;
  }

  // A head on reduced rows selects among the columns they were made of.
  std::vector<float> separation(const Features& x, const Matrix& p) {
    const bool reduced = x.cols() != problem_.features->cols();
    return class_separation(reduced ? shared_.view(View::kRaw) : x, p);
  }

  // The head alone and propagated; over the graph of the features it selected also the labels
  // alone.
  std::vector<Stage> landmark(const Csr& graph, const Features& x, uint32_t round) {
    std::vector<Stage> stages;
    if (round == 0) {
      own_.landmarks = fit_landmarks(x.dense, problem_, spec_.landmark);
      own_.p = landmark_logits(own_.landmarks, x.dense, context_.threads);
      softmax_rows(own_.p);
      own_.selection = landmark_selection(x, own_.p);
      clamp_training_rows(own_.p, problem_);
      stages.push_back(own_);
    }
    if (spec_.landmark.smoothing.steps > 0) stages.push_back(smoothed(own_, graph));
    if (round > 0) {
      stages.push_back({.p = spread_labels(graph, problem_, spec_.class_mass, context_.threads),
                        .selection = own_.selection,
                        .own_weight = 0});
    }
    return stages;
  }

  std::vector<float> landmark_selection(const Features& x, const Matrix& p) {
    const Matrix& weights = own_.landmarks.weights;
    if (!spec_.landmark.selects || weights.cols() != problem_.features->cols()) {
      return separation(x, p);
    }
    std::vector<float> selection(weights.data(), weights.data() + weights.size());
    const float largest = *std::max_element(selection.begin(), selection.end());
    for (float& weight : selection) weight /= largest;
    return selection;
  }

  Stage smoothed(const Stage& stage, const Csr& graph) const {
    const Smoothing& smoothing = spec_.landmark.smoothing;
    Stage out = stage;
    cpu::propagate(out.p.view(), graph.pattern->view(), graph.values.data(), stage.p.view(),
                   smoothing.steps, static_cast<float>(smoothing.alpha), context_.threads);
    normalise_rows(out.p, class_shares(problem_));
    clamp_training_rows(out.p, problem_);
    out.own_weight = smoothing.alpha;
    return out;
  }

  Matrix gaussian(const Csr& graph, const Features& x) {
    Matrix p = spec_.start_by_spreading
                   ? spread_labels(graph, problem_, spec_.class_mass, context_.threads)
                   : nearest_means(x.dense, problem_, context_.threads);
    const auto rebuild = [&](const Matrix& coordinates) {
      Features view;
      view.dense = coordinates;
      RowGraphOptions options = spec_.graph;
      options.euclidean = true;
      return build_row_graph({.views = {&view}, .given = problem_.graph}, options,
                             context_.threads);
    };
    gaussian_prototypes(p, x.dense, graph, problem_, spec_.gaussian, rebuild, context_.threads);
    return p;
  }

  Matrix multinomial(const Csr& graph, const Features& x, const Matrix& start,
                     std::vector<Matrix>* looks = nullptr) {
    return multinomial_prototypes(start, x, graph, problem_, spec_.multinomial, context_.threads,
                                  looks);
  }

  Stage gnn(const Csr& graph, const Features& x, const Matrix& teacher, uint32_t round) {
    GnnOptions options = spec_.gnn;
    options.round = round;
    GnnResult result = train_gnn(x, graph, problem_, teacher, options, context_);
    return {.p = std::move(result.p),
            .selection = std::move(result.selection),
            .chose_epoch = true,
            .own_weight = options.steps > 0 ? options.alpha : 1,
            .layers = std::move(result.layers),
            .looks = std::move(result.looks)};
  }

  // The geometric mean of both.
  void mix(Matrix& p, const Matrix& other) const {
    for (int64_t e = 0; e < p.size(); ++e) p.data()[e] = std::sqrt(p.data()[e] * other.data()[e]);
    normalise_rows(p, class_shares(problem_));
  }

  const ModuleSpec& spec_;
  SharedInputs& shared_;
  const Problem& problem_;
  const Context& context_;
  Stage own_;  // what landmarks alone say: the same in every round
};

}  // namespace

std::vector<float> class_separation(const Features& x, const Matrix& p) {
  const int64_t columns = x.cols(), classes = p.cols();
  std::vector<double> mass(classes, 0.0), sum(columns * classes, 0.0), squares(columns, 0.0);
  const auto visit = [&](int64_t i, int64_t f, double value) {
    squares[f] += value * value;
    for (int64_t c = 0; c < classes; ++c) sum[f * classes + c] += p[i][c] * value;
  };
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t c = 0; c < classes; ++c) mass[c] += p[i][c];
    if (x.is_sparse) {
      const Pattern& pattern = *x.sparse.pattern;
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        visit(i, pattern.col[e], x.sparse.values[e]);
      }
    } else {
      for (int64_t f = 0; f < columns; ++f) visit(i, f, x.dense[i][f]);
    }
  }
  std::vector<float> part(columns, 0.0f);
  for (int64_t f = 0; f < columns; ++f) {
    double all = 0, between = 0;
    for (int64_t c = 0; c < classes; ++c) all += sum[f * classes + c];
    const double centre = all * all / static_cast<double>(x.rows());
    for (int64_t c = 0; c < classes; ++c) {
      if (mass[c] > 0) between += sum[f * classes + c] * sum[f * classes + c] / mass[c];
    }
    const double whole = squares[f] - centre;
    if (whole > 1e-12 * squares[f]) {
      part[f] = static_cast<float>(std::sqrt(std::clamp((between - centre) / whole, 0.0, 1.0)));
    }
  }
  const float largest = columns > 0 ? *std::max_element(part.begin(), part.end()) : 0.0f;
  for (float& value : part) value = largest > 0 ? value / largest : 1.0f;
  return part;
}

std::string describe(const ModuleSpec& spec) {
  constexpr const char* kHeads[] = {"spread", "gaussian",   "multinomial",
                                    "gnn",    "gnn_taught", "landmark"};
  const auto number = [](double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  std::string text = kHeads[static_cast<int>(spec.head)];
  const auto add = [&](const char* name, double value) {
    text += std::string(" ") + name + "=" + number(value);
  };
  text += " views=";
  for (size_t v = 0; v < spec.views.size(); ++v) text += (v ? "+" : "") + view_name(spec.views[v]);
  text += " input=" + view_name(spec.input);
  if (spec.head == Head::kGnnTaught) text += " teacher_input=" + view_name(spec.teacher_input);
  add("k", static_cast<double>(spec.graph.k));
  if (spec.graph.euclidean) text += " euclidean";
  add("self", spec.graph.self_weight);
  add("given", spec.graph.given_weight);
  add("labels", spec.graph.label_weight);
  add("select", spec.graph.select);
  if (spec.after_network)
    text += " after_network";
  else
    add("rounds", static_cast<double>(spec.rounds));
  if (spec.class_mass || spec.gaussian.class_mass) text += " class_mass";
  if (spec.head == Head::kGaussian) {
    add("shrink", spec.gaussian.shrink);
    add("steps", static_cast<double>(spec.gaussian.smoothing.steps));
    add("alpha", spec.gaussian.smoothing.alpha);
    if (spec.start_by_spreading) text += " start=spread";
  }
  if (spec.head == Head::kLandmark) {
    text += spec.landmark.curved ? " curved" : " linear";
    if (spec.landmark.selects) text += " selects";
    add("steps", static_cast<double>(spec.landmark.smoothing.steps));
    add("alpha", spec.landmark.smoothing.alpha);
  }
  if (spec.head == Head::kMultinomial || spec.head == Head::kGnnTaught) {
    add("count", spec.multinomial.pseudo_count);
    add("unlabelled", spec.multinomial.unlabelled_weight);
    add("temperature", spec.multinomial.temperature);
    add("scale", spec.multinomial.scale);
    add("em_steps", static_cast<double>(spec.multinomial.smoothing.steps));
    add("em_alpha", spec.multinomial.smoothing.alpha);
  }
  if (spec.head == Head::kGnn || spec.head == Head::kGnnTaught) {
    add("hidden", static_cast<double>(spec.gnn.hidden));
    add("dropout", spec.gnn.dropout);
    add("decay", spec.gnn.weight_decay);
    add("steps", static_cast<double>(spec.gnn.steps));
    add("alpha", spec.gnn.alpha);
    add("teacher", spec.gnn.teacher_weight);
    add("sure", spec.gnn.teacher_sure);
    add("consistency", spec.gnn.consistency);
  }
  return text;
}

SharedInputs::SharedInputs(const Problem& problem, const Context& context)
    : problem_(problem), views_(*problem.features, context.threads) {}

std::shared_ptr<const Csr> SharedInputs::first_graph(const ModuleSpec& spec,
                                                     const Context& context) {
  std::string key;
  for (const View view : spec.views) key += view_name(view) + "+";
  const RowGraphOptions& options = spec.graph;
  key += std::to_string(options.k) + (options.euclidean ? "e" : "c") +
         std::to_string(options.self_weight) + "," + std::to_string(options.given_weight);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = graphs_.find(key); found != graphs_.end()) return found->second;
  }
  // Two threads may make the same graph at once: the same bits, so that either may stay.
  RowGraphInputs inputs{.given = problem_.graph};
  for (const View view : spec.views) inputs.views.push_back(&views_.get(view));
  auto graph = std::make_shared<const Csr>(build_row_graph(inputs, options, context.threads));
  const std::scoped_lock lock(mutex_);
  return graphs_.emplace(key, std::move(graph)).first->second;
}

ModuleResult run_module(const ModuleSpec& spec, SharedInputs& shared, const Context& context,
                        const ModuleStart* start) {
  return ModuleRun(spec, shared, context).run(start);
}

}  // namespace glgnn
