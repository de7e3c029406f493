#include "modules/module.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "core/rows.h"
#include "ops/propagation.h"

namespace glgnn {
namespace {

class ModuleRun {
 public:
  ModuleRun(const ModuleSpec& spec, const Problem& problem, SharedInputs& shared,
            const Context& context)
      : spec_(spec), problem_(problem), shared_(shared), context_(context) {}

  // `start`, if given, is what the network of graphs has learned: one round from there.
  std::vector<ModuleResult> run(const ModuleStart* start) {
    std::vector<ModuleResult> results;
    Stage last, first;
    if (start) last = {.p = start->p, .selection = start->selection};
    const int64_t begin = start ? spec_.rounds : 0;
    const int64_t end = start ? spec_.rounds + 1 : spec_.rounds;
    for (int64_t round = begin; round < end; ++round) {
      const bool rebuilds = round > 0 && (spec_.graph.select > 0 || spec_.graph.label_weight > 0);
      std::shared_ptr<const Csr> graph;
      const std::function<const Csr&()> make_graph = [&]() -> const Csr& {
        if (!graph) {
          graph = rebuilds ? rebuilt_graph(last)
                           : shared_.first_graph(spec_.views, spec_.graph, context_);
        }
        return *graph;
      };
      const std::vector<float> graph_selection =
          rebuilds && spec_.graph.select > 0 ? last.selection : std::vector<float>();
      RoundWork work = work_on(make_graph);
      work.round = static_cast<uint32_t>(round);
      work.before = &last.p;
      work.first = round > begin ? &first : nullptr;
      std::vector<Stage> stages =
          std::visit([&](const auto& kind) { return kind.run_round(work); }, spec_.kind);
      add_mixed(stages);
      make_graph();
      if (round == begin && begin + 1 < end) first = stages.front();
      for (Stage& stage : stages) {
        ModuleResult& result = results.emplace_back();
        result.spec = spec_;
        result.score = validation_score(stage.p, problem_);
        result.score.handicap = handicap_of(spec_, stage.chose_epoch, shared_, context_) *
                                standard_error(result.score.accuracy, problem_);
        if (stage.looks.empty()) stage.looks.push_back(validation_rows(stage.p, problem_));
        result.looks = std::exchange(stage.looks, {});
        result.stage = std::move(stage);
        result.graph = graph;
        result.graph_selection = graph_selection;
        result.graph_knows_labels = rebuilds && spec_.graph.label_weight > 0;
      }
      last = results.back().stage;
    }
    return results;
  }

  FittedModule finish(ModuleResult module) {
    FittedModule out;
    PoolState state;
    state.views = spec_.views;
    state.k = spec_.graph.k;
    state.euclidean = spec_.graph.euclidean;
    state.self_weight = spec_.graph.self_weight;
    state.label_weight = module.graph_knows_labels ? spec_.graph.label_weight : 0;
    state.own_weight = module.stage.own_weight;
    for (const float weight : module.graph_selection) {
      state.links.push_back(static_cast<float>(std::pow(weight, spec_.graph.select)));
    }
    state.mixing = module.stage.mixing;
    if (hears_given(state)) state.self_weight = 1;
    state.kind = module.stage.state;
    // A module whose best stage is the labels alone has nothing of its own.
    if (!std::holds_alternative<SpreadState>(state.kind)) {
      const std::function<const Csr&()> graph = [&]() -> const Csr& { return *module.graph; };
      std::visit([&](const auto& kind) { kind.finish(state.kind, module.stage.p, work_on(graph)); },
                 spec_.kind);
    }
    out.kind = kind_name(spec_);
    out.note = describe(spec_) + (hears_given(state) ? " mixes" : "");
    out.graph = hears_given(state) ? heard_edges(*problem_.graph, context_.threads) : *module.graph;
    out.selection = std::move(module.stage.selection);
    out.probabilities = std::move(module.stage.p);
    out.val_accuracy = module.score.accuracy;
    out.state = std::make_shared<const ModuleState>(std::move(state));
    return out;
  }

 private:
  RoundWork work_on(const std::function<const Csr&()>& graph) {
    return {.spec = spec_,
            .shared = shared_,
            .problem = problem_,
            .context = context_,
            .graph = graph,
            .graph_options = spec_.graph,
            .input = spec_.input,
            .number = spec_.number};
  }

  // All given edges count, also those that look random: what the classes at the ends of edges are
  // says more of them. A new row has no given edges: of a mixed stage it hears its features alone.
  void add_mixed(std::vector<Stage>& stages) {
    const Csr* const given = problem_.graph;
    if (!spec_.mixes || !given || !can_mix(*given, problem_.classes)) return;
    for (size_t s = 0, count = stages.size(); s < count; ++s) {
      if (stages[s].own_weight < 1) continue;
      Stage mixed = stages[s];
      mixed.looks.clear();
      auto [beliefs, ratio] = mix_classes(stages[s].p, *given, problem_, context_.threads);
      mixed.p = std::move(beliefs);
      mixed.mixing = std::move(ratio);
      clamp_training_rows(mixed.p, problem_);
      stages.push_back(std::move(mixed));
    }
  }

  std::shared_ptr<const Csr> rebuilt_graph(const Stage& before) {
    RowGraphInputs inputs{.selection = &before.selection,
                          .soft_labels = &before.p,
                          .given = shared_.given_graph(spec_.graph.given_edges, context_)};
    for (const View view : spec_.views) inputs.views.push_back(&shared_.view(view));
    return std::make_shared<Csr>(build_row_graph(inputs, spec_.graph, context_));
  }

  const ModuleSpec& spec_;
  const Problem& problem_;
  SharedInputs& shared_;
  const Context& context_;
};

// Of the soft classes: their mass, the sum of every column in each, and the columns' squares.
struct ClassSums {
  std::vector<double> mass, sum, squares;

  ClassSums(int64_t columns, int64_t classes)
      : mass(classes, 0.0), sum(columns * classes, 0.0), squares(columns, 0.0) {}

  void add_row(const float* p, const float* values, const int32_t* col, int64_t size) {
    const auto classes = static_cast<int64_t>(mass.size());
    for (int64_t c = 0; c < classes; ++c) mass[c] += p[c];
    for (int64_t e = 0; e < size; ++e) {
      const double value = values[e];
      if (value == 0) continue;
      const int64_t f = col ? col[e] : e;
      squares[f] += value * value;
      for (int64_t c = 0; c < classes; ++c) sum[f * classes + c] += p[c] * value;
    }
  }

  // Of all rows at once, on the device.
  void add_rows(const Matrix& p, const cuda::HeldMatrix& x) {
    const auto classes = static_cast<int64_t>(mass.size());
    for (int64_t i = 0; i < p.rows(); ++i) {
      for (int64_t c = 0; c < classes; ++c) mass[c] += p[i][c];
    }
    const Matrix products = cuda::HeldMatrix(p.view()).transposed_times(x);
    const Matrix all = x.column_squares();
    for (int64_t f = 0; f < x.cols(); ++f) {
      squares[f] = all[0][f];
      for (int64_t c = 0; c < classes; ++c) sum[f * classes + c] = products[c][f];
    }
  }

  void add(const ClassSums& other) {
    for (const auto& [to, from] : {std::pair(&mass, &other.mass), std::pair(&sum, &other.sum),
                                   std::pair(&squares, &other.squares)}) {
      for (size_t e = 0; e < to->size(); ++e) (*to)[e] += (*from)[e];
    }
  }
};

// Pieces of rows are summed first, however many threads there are.
ClassSums sum_by_class(const Features& x, const Matrix& p, int threads,
                       const cuda::HeldMatrix* held) {
  if (held) {
    ClassSums all(x.cols(), p.cols());
    all.add_rows(p, *held);
    return all;
  }
  // Few pieces, and fewer where the sums of each are large.
  constexpr int64_t kRows = 4096, kMostPieces = 16, kMostNumbers = int64_t{1} << 24;
  const int64_t wanted =
      std::clamp<int64_t>(kMostNumbers / (x.cols() * p.cols() + 1), 1, kMostPieces);
  const int64_t rows = std::max(kRows, (x.rows() + wanted - 1) / wanted);
  const Pattern* pattern = x.is_sparse ? x.sparse.pattern.get() : nullptr;
  std::vector<std::optional<ClassSums>> pieces((x.rows() + rows - 1) / rows);
  for_fixed_pieces(x.rows(), rows, threads, [&](int64_t piece, int64_t first, int64_t last) {
    ClassSums& sums = pieces[piece].emplace(x.cols(), p.cols());
    for (int64_t i = first; i < last; ++i) {
      if (pattern) {
        const int64_t begin = pattern->row_ptr[i];
        sums.add_row(p[i], x.sparse.values.data() + begin, pattern->col.data() + begin,
                     pattern->row_ptr[i + 1] - begin);
      } else {
        sums.add_row(p[i], x.dense[i], nullptr, x.cols());
      }
    }
  });
  ClassSums all(x.cols(), p.cols());
  for (const auto& sums : pieces) all.add(*sums);
  return all;
}

}  // namespace

// A head on reduced rows selects among the columns they were made of.
std::vector<float> RoundWork::separation(const Matrix& p) const {
  const bool reduced =
      directions_kept(spec.input) > 0 && shared.view(spec.input).cols() != problem.features->cols();
  const View view = reduced ? View::kRaw : spec.input;
  // On the device the numbers are there: of the features only their columns are asked.
  const cuda::HeldMatrix* const held = shared.held(view);
  return class_separation(held ? shared.features() : shared.view(view), p, context.threads, held);
}

Stage RoundWork::smoothed(const Stage& own, const Smoothing& smoothing) const {
  Stage out = own;
  Propagation(graph(), context).run(out.p, own.p, smoothing.steps, smoothing.alpha);
  normalise_rows(out.p, class_shares(problem), context.threads);
  clamp_training_rows(out.p, problem);
  out.own_weight = smoothing.own_weight();
  return out;
}

std::vector<float> class_separation(const Features& x, const Matrix& p, int threads,
                                    const cuda::HeldMatrix* held) {
  const int64_t columns = x.cols(), classes = p.cols();
  const ClassSums sums = sum_by_class(x, p, threads, held);
  const auto& [mass, sum, squares] = sums;
  std::vector<float> part(columns, 0.0f);
  const std::vector<int32_t> origin = origin_of_columns(x);
  std::vector<double> whole_of(columns, 0.0), between_of(columns, 0.0);
  for (int64_t f = 0; f < columns; ++f) {
    double all = 0, between = 0;
    for (int64_t c = 0; c < classes; ++c) all += sum[f * classes + c];
    const double centre = all * all / static_cast<double>(x.rows());
    for (int64_t c = 0; c < classes; ++c) {
      if (mass[c] > 0) between += sum[f * classes + c] * sum[f * classes + c] / mass[c];
    }
    const double whole = squares[f] - centre;
    if (whole <= 1e-12 * squares[f]) continue;
    whole_of[origin[f]] += whole;
    between_of[origin[f]] += between - centre;
  }
  for (int64_t f = 0; f < columns; ++f) {
    if (const double whole = whole_of[origin[f]]; whole > 0) {
      part[f] = static_cast<float>(std::sqrt(std::clamp(between_of[origin[f]] / whole, 0.0, 1.0)));
    }
  }
  const float largest = columns > 0 ? *std::max_element(part.begin(), part.end()) : 0.0f;
  for (float& value : part) value = largest > 0 ? value / largest : 1.0f;
  return part;
}

void ModuleNote::add(const std::string& name, double value) {
  std::string number = std::to_string(value);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  add(name + "=" + number);
}

double handicap_of(const ModuleSpec& spec, bool chose_epoch, SharedInputs& shared,
                   const Context& context) {
  // Of two about as good networks the one of fewer edges: the rule of one standard error.
  constexpr double kBelievingAll = 1;
  const bool believes_all =
      spec.graph.given_edges == GivenEdges::kAllDespiteDoubts && shared.graph_is_doubtful(context);
  return (chose_epoch ? kGainOfChoosing : 0) + (believes_all ? kBelievingAll : 0);
}

std::string kind_name(const ModuleSpec& spec) {
  return std::visit([](const auto& kind) { return std::string(kind.kName); }, spec.kind);
}

std::string describe(const ModuleSpec& spec) {
  ModuleNote note;
  note.add(kind_name(spec));
  std::string views;
  for (const View view : spec.views) views += (views.empty() ? "" : "+") + view_name(view);
  note.add("views=" + views);
  note.add("input=" + view_name(spec.input));
  note.add("k", static_cast<double>(spec.graph.k));
  if (spec.graph.euclidean) note.add("euclidean");
  note.add("self", spec.graph.self_weight);
  note.add("given", spec.graph.given_weight);
  if (spec.graph.given_edges == GivenEdges::kTrusted) note.add("doubts");
  note.add("labels", spec.graph.label_weight);
  note.add("select", spec.graph.select);
  if (spec.after_network)
    note.add("after_network");
  else
    note.add("rounds", static_cast<double>(spec.rounds));
  std::visit([&](const auto& kind) { kind.describe(note); }, spec.kind);
  return note.text;
}

std::set<View> views_read(const std::vector<FittedModule>& modules) {
  std::set<View> views;
  for (const FittedModule& module : modules) {
    const auto* state = std::get_if<PoolState>(module.state.get());
    if (!state) continue;
    views.insert(state->views.begin(), state->views.end());
    std::visit([&](const auto& kind) { kind.add_views(views); }, state->kind);
  }
  return views;
}

std::vector<ModuleResult> run_stages(const ModuleSpec& spec, const Problem& problem,
                                     SharedInputs& shared, const Context& context,
                                     const ModuleStart* start) {
  return ModuleRun(spec, problem, shared, context).run(start);
}

const ModuleResult& best_stage(const std::vector<ModuleResult>& stages) {
  const ModuleResult* best = &stages.front();
  for (const ModuleResult& stage : stages) {
    if (stage.score.value() >= best->score.value()) best = &stage;
  }
  return *best;
}

ModuleResult run_module(const ModuleSpec& spec, const Problem& problem, SharedInputs& shared,
                        const Context& context, const ModuleStart* start) {
  const std::vector<ModuleResult> stages = run_stages(spec, problem, shared, context, start);
  ModuleResult best = best_stage(stages);
  best.looks.clear();
  for (const ModuleResult& stage : stages) {
    best.looks.insert(best.looks.end(), stage.looks.begin(), stage.looks.end());
  }
  return best;
}

FittedModule finish_module(ModuleResult module, const Problem& problem, SharedInputs& shared,
                           const Context& context) {
  const ModuleSpec spec = module.spec;
  return ModuleRun(spec, problem, shared, context).finish(std::move(module));
}

}  // namespace glgnn
