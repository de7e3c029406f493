#include "train/pool.h"

#include <algorithm>
#include <array>
#include <utility>

// The lists and numbers of this file were chosen on random splits of Wine, Cancer, Digits, Cora and
// Citeseer other than those of docs/results.md; kLabelsWorthTraining and the landmarks on small
// tables (docs/best_mode.md).

namespace glgnn {
namespace {

// Above this many rows fewer modules are tried, one at a time with all threads.
constexpr int64_t kManyRows = 20000;

void add_spreading(std::vector<ModuleSpec>& pool, const std::vector<View>& views, bool few) {
  const std::vector<int64_t> neighbours =
      few ? std::vector<int64_t>{5} : std::vector<int64_t>{3, 5, 7, 10};
  const std::vector<bool> metrics = few ? std::vector<bool>{false} : std::vector<bool>{false, true};
  for (const View view : views) {
    for (const int64_t k : neighbours) {
      for (const bool euclidean : metrics) {
        for (const bool class_mass : {false, true}) {
          ModuleSpec spec;
          spec.views = {view};
          spec.input = view;
          spec.graph = {.k = k, .euclidean = euclidean};
          spec.kind = SpreadOptions{.class_mass = class_mass};
          pool.push_back(spec);
        }
      }
    }
  }
}

// A second round that compares rows by the features that separated the classes in the first: for
// tables where most columns have nothing to do with the classes.
void add_selecting(std::vector<ModuleSpec>& pool, const std::vector<View>& views) {
  for (const View view : views) {
    for (const int64_t k : {5, 10}) {
      for (const double select : {1.0, 2.0}) {
        ModuleSpec spec;
        spec.views = {view};
        spec.input = view;
        spec.graph = {.k = k, .select = select};
        spec.rounds = 3;
        spec.kind = SpreadOptions{.class_mass = true};
        pool.push_back(spec);
      }
    }
  }
}

void add_gaussian(std::vector<ModuleSpec>& pool, const std::vector<View>& views,
                  const DataKind& kind, bool few) {
  const std::vector<double> shrinks =
      few ? std::vector<double>{0.1} : std::vector<double>{0.1, 0.3};
  // The graph of the separating coordinates is learned again and again: too dear for many rows.
  const std::vector<int64_t> propagations =
      few ? std::vector<int64_t>{0} : std::vector<int64_t>{0, 2};
  for (const View view : views) {
    for (const double shrink : shrinks) {
      for (const int64_t steps : propagations) {
        for (const bool spread : {false, true}) {
          for (const bool class_mass : {false, true}) {
            ModuleSpec spec;
            spec.views = {view};
            spec.input = covariance_view(kind, view);
            spec.graph = {.k = 5, .euclidean = kind.shares_scale && !few};
            spec.kind = GaussianOptions{.shrink = shrink,
                                        .iterations = kind.shares_scale ? 4 : 40,
                                        .smoothing = {.steps = steps, .alpha = 0.2},
                                        .class_mass = class_mass,
                                        .start_by_spreading = spread};
            pool.push_back(spec);
          }
        }
      }
    }
  }
}

// Graph votes of text.
const std::vector<View> kPlain{View::kUnit, View::kTfidf};
const std::vector<View> kReduced{View::kUnit, View::kTfidf, View::kSvd32};
const std::vector<View> kMany{View::kUnit, View::kSvd16, View::kSvd32, View::kSvd64};

void add_multinomial(std::vector<ModuleSpec>& pool) {
  for (const View input : {View::kUnit, View::kTfidf}) {
    for (const double count : {0.1, 1.0}) {
      for (const double weight : {0.3, 1.0}) {
        for (const double temperature : {0.3, 1.0}) {
          for (const int64_t steps : {0, 2}) {
            ModuleSpec spec;
            spec.views = kPlain;
            spec.input = input;
            spec.graph = {.k = 10, .given_weight = 0.3};
            spec.kind = MultinomialOptions{.pseudo_count = count,
                                           .unlabelled_weight = weight,
                                           .temperature = temperature,
                                           .scale = 10,
                                           .iterations = 6,
                                           .smoothing = {.steps = steps, .alpha = 0.4}};
            pool.push_back(spec);
          }
        }
      }
    }
  }
}

// The settings in which trained heads differ.
struct GnnRow {
  std::vector<View> views;
  View input;
  int64_t k;
  double self, given, labels, select;
  double dropout, decay;
  int64_t steps;
  double alpha, teacher, sure, consistency;
};

ModuleSpec gnn_module(const GnnRow& row) {
  ModuleSpec spec;
  spec.views = row.views;
  spec.input = row.input;
  spec.graph = {.k = row.k,
                .self_weight = row.self,
                .given_weight = row.given,
                .label_weight = row.labels,
                .select = row.select};
  spec.rounds = 2;
  spec.kind = LayersOptions{.training = {.dropout = row.dropout,
                                         .weight_decay = row.decay,
                                         .steps = row.steps,
                                         .alpha = row.alpha,
                                         .teacher_weight = row.teacher,
                                         .teacher_sure = row.sure,
                                         .consistency = row.consistency}};
  return spec;
}

ModuleSpec taught(const GnnRow& row, View teacher_input, const MultinomialOptions& options) {
  ModuleSpec spec = gnn_module(row);
  std::get<LayersOptions>(spec.kind).teacher = {teacher_input, options};
  return spec;
}

void add_text_gnns(std::vector<ModuleSpec>& pool) {
  const View t = View::kTfidf, u = View::kUnit;
  //   views      input k  self given labels select drop decay  steps alpha teach sure cons
  const GnnRow rows[] = {
      {kPlain, t, 5, 0.5, 0.3, 1.0, 0.0, 0.5, 0.005, 4, 0.10, 0.5, 0.8, 0.5},
      {kReduced, t, 5, 1.0, 0.3, 0.3, 0.0, 0.7, 0.0005, 8, 0.05, 2.0, 0.5, 0.5},
      {kPlain, t, 5, 1.0, 0.3, 0.0, 0.5, 0.8, 0.005, 12, 0.05, 0.5, 0.5, 0.5},
      {kReduced, t, 10, 1.0, 0.6, 0.3, 0.5, 0.8, 0.002, 12, 0.05, 0.5, 0.8, 1.0},
      {kMany, t, 20, 0.5, 0.1, 0.3, 0.0, 0.7, 0.0005, 8, 0.10, 2.0, 0.8, 0.5},
      {kReduced, u, 10, 0.5, 0.6, 0.3, 0.5, 0.5, 0.002, 12, 0.10, 0.5, 0.8, 1.0},
      {kPlain, t, 10, 1.0, 0.3, 0.3, 0.0, 0.8, 0.005, 8, 0.20, 1.0, 0.5, 1.0},
      {kReduced, t, 5, 0.5, 0.3, 0.0, 0.0, 0.8, 0.0005, 12, 0.05, 1.0, 0.5, 1.0},
  };
  for (const GnnRow& row : rows) pool.push_back(gnn_module(row));
  const MultinomialOptions plain{.pseudo_count = 0.3,
                                 .unlabelled_weight = 1,
                                 .temperature = 0.6,
                                 .scale = 1,
                                 .smoothing = {.steps = 2, .alpha = 0.1}};
  const MultinomialOptions light{.pseudo_count = 0.1,
                                 .unlabelled_weight = 0.1,
                                 .temperature = 0.3,
                                 .scale = 20,
                                 .smoothing = {.steps = 1, .alpha = 0.1}};
  const MultinomialOptions deep{.pseudo_count = 1,
                                .unlabelled_weight = 0.1,
                                .temperature = 1,
                                .scale = 10,
                                .smoothing = {.steps = 4, .alpha = 0.2}};
  pool.push_back(taught({kReduced, u, 10, 0.5, 0.3, 0.3, 0.0, 0.7, 0.0005, 8, 0.05, 2.0, 0.8, 0.5},
                        View::kRaw, plain));
  pool.push_back(
      taught({kReduced, t, 10, 1.0, 0.6, 0.6, 0.0, 0.8, 0.005, 12, 0.05, 0.5, 0.5, 1.0}, u, light));
  pool.push_back(
      taught({kReduced, t, 5, 0.5, 0.3, 0.3, 0.0, 0.5, 0.002, 8, 0.20, 2.0, 0.8, 0.5}, u, deep));
  pool.push_back(
      taught({kMany, t, 10, 1.0, 0.6, 0.0, 0.5, 0.8, 0.0005, 12, 0.10, 0.5, 0.8, 1.0}, u, deep));
}

// With few labels trained layers only learn them by heart, and cost the most; and where trees cut
// is luck.
constexpr int64_t kLabelsWorthTraining = 200, kLabelsWorthLargeTrees = 5000;

void add_table_gnns(std::vector<ModuleSpec>& pool, const std::vector<View>& views,
                    const DataKind& kind, bool few) {
  for (const View v : views) {
    //   views input k self given labels select drop decay steps alpha teach sure cons
    const GnnRow far{{v}, v, 10, 1.0, 0.3, 0.3, 0.5, 0.3, 0.005, 8, 0.05, 0.5, 0.5, 0.5};
    const GnnRow near{{v}, v, 10, 1.0, 0.6, 0.0, 0.0, 0.3, 0.0005, 4, 0.20, 0.5, 0.8, 0.0};
    const GnnRow light{{v}, v, 5, 1.0, 0.1, 0.0, 0.5, 0.5, 0.005, 2, 0.40, 0.0, 0.8, 0.0};
    // No propagation: for tables whose neighbours say nothing.
    const GnnRow alone{{v}, v, 5, 1.0, 0.3, 0.0, 0.0, 0.3, 0.005, 0, 0.10, 0.5, 0.8, 0.0};
    if (!few) {
      for (const GnnRow& row : {far, near, light, alone}) pool.push_back(gnn_module(row));
      continue;
    }
    // Every epoch goes over all rows and columns, and a graph learned again over all pairs.
    for (const GnnRow& row : {near, alone}) {
      ModuleSpec& spec = pool.emplace_back(gnn_module(row));
      spec.input = covariance_view(kind, v);
      spec.rounds = 1;
    }
  }
  for (ModuleSpec& spec : pool) {
    if (auto* layers = std::get_if<LayersOptions>(&spec.kind)) {
      layers->training.hidden = 64;
      layers->training.patience = 5;
    }
  }
}

void add_landmarks(std::vector<ModuleSpec>& pool, const std::vector<View>& views,
                   const DataKind& kind, bool few) {
  for (const View given : views) {
    for (const auto& [curved, selects] : {std::pair(false, false), {true, false}, {true, true}}) {
      ModuleSpec spec;
      // One of the two linear ones weighs every level as a number, for tables that levels decide.
      const bool by_level = kind.has_levels && !curved && given == View::kStandard;
      const View view = by_level ? View::kLevels : given;
      spec.views = {view};
      spec.input = covariance_view(kind, view);
      const bool rebuilds = selects && !few;  // compares all pairs of rows again
      spec.graph = {.k = 10, .euclidean = !few, .select = rebuilds ? 1.0 : 0.0};
      spec.rounds = rebuilds ? 2 : 1;
      spec.kind = LandmarkOptions{
          .curved = curved, .selects = selects, .smoothing = {.steps = 2, .alpha = 0.2}};
      pool.push_back(spec);
    }
  }
}

void add_trees(std::vector<ModuleSpec>& pool, int64_t labels, bool few) {
  for (const auto& [leaves, least] : {std::pair(4, 5), {16, 5}, {31, 20}, {128, 10}}) {
    if (leaves > 31 && labels < kLabelsWorthLargeTrees) continue;
    ModuleSpec spec;
    spec.views = {View::kStandard};
    spec.input = View::kStandard;
    spec.graph = {.k = 10, .euclidean = !few, .select = few ? 0.0 : 1.0};
    spec.rounds = few ? 1 : 2;
    spec.kind = TreesOptions{.leaves = leaves, .least = least};
    pool.push_back(spec);
  }
}

// With more labels others say as well what they say, and it takes long. Where a few rows are given
// to choose by it gained nothing; with a given graph it was not measured.
constexpr int64_t kLabelsThatNeedAPrior = 60;

bool suits_prior(const DataKind& kind) {
  return !kind.val_is_given && !kind.has_graph && kind.labels < kLabelsThatNeedAPrior &&
         kind.classes <= PriorNetwork::kMostClasses && kind.origins <= PriorOptions::kMostColumns &&
         kind.rows * kind.origins <= PriorOptions::kMostCells;
}

void add_prior(std::vector<ModuleSpec>& pool) {
  ModuleSpec spec;
  spec.views = {View::kStandard};
  spec.input = View::kStandard;
  spec.graph = {.k = 10, .euclidean = true};
  spec.kind = PriorOptions{.smoothing = {.steps = 2, .alpha = 0.2}};
  pool.push_back(spec);
}

void add_table_modules(std::vector<ModuleSpec>& pool, const std::vector<View>& views,
                       const DataKind& kind, bool few) {
  add_spreading(pool, views, few);
  if (!few) add_selecting(pool, views);
  add_gaussian(pool, views, kind, few);
  add_landmarks(pool, views, kind, few);
  if (kind.has_graph || kind.labels >= kLabelsWorthTraining) add_table_gnns(pool, views, kind, few);
  if (kind.labels >= kLabelsWorthTraining) add_trees(pool, kind.labels, few);
}

// The heads of text once more, on columns that hear those most like them.
void add_joined_gnns(std::vector<ModuleSpec>& pool) {
  for (size_t m = 0; m < 4; ++m) {
    ModuleSpec spec = pool[m];
    spec.views = {View::kUnit, View::kJoined};
    spec.input = View::kJoined;
    pool.push_back(spec);
  }
}

// Every fourth module: some of each head.
void thin_out(std::vector<ModuleSpec>& pool) {
  std::vector<ModuleSpec> kept;
  for (size_t m = 1; m < pool.size(); m += 4) kept.push_back(pool[m]);
  pool = std::move(kept);
}

// Distributions over features have no place for negative numbers.
bool counts_features(const ModuleSpec& spec) {
  const auto* layers = std::get_if<LayersOptions>(&spec.kind);
  return std::holds_alternative<MultinomialOptions>(spec.kind) || (layers && layers->teacher);
}

// Every trained head once more, taught by the network of graphs instead of by itself.
void add_after_network(std::vector<ModuleSpec>& pool) {
  const size_t before = pool.size();
  for (size_t m = 0; m < before; ++m) {
    ModuleSpec spec = pool[m];
    auto* layers = std::get_if<LayersOptions>(&spec.kind);
    if (!layers) continue;
    layers->teacher.reset();
    spec.after_network = true;
    spec.graph.label_weight = 0;  // the teacher says it already
    pool.push_back(spec);
  }
}

// A kind of module, and the way in which it learns.
int32_t family_of(const ModuleSpec& spec) {
  const auto* landmarks = std::get_if<LandmarkOptions>(&spec.kind);
  const int32_t way = landmarks ? landmarks->curved + landmarks->selects : spec.rounds > 1;
  return static_cast<int32_t>(3 * spec.kind.index()) + way;
}

// In a table of numbers alone all modules of a kind. Elsewhere each family, three of them of
// landmarks: they find out which columns count, which others do not where there are categories; on
// text and with a given graph nothing else was measured.
int32_t group_of(const ModuleSpec& spec, const DataKind& kind) {
  const bool only_numbers = !kind.is_text && !kind.has_graph && !kind.has_levels;
  return only_numbers ? static_cast<int32_t>(spec.kind.index()) : spec.family;
}

// Two of so many modules take a given graph as it is, the others each edge by how likely it is true
// (modules/edge_trust.cpp): for graphs that have nothing to do with the features. Two, because next
// to each other are often modules that differ in one thing.
constexpr size_t kEdgesAsGiven = 8;

// Neighbours are not learned where the graph says them, so that modules of spreading that take it
// as it is would all be alike. They differ in how far labels go: over wrong edges and hubs, not
// far.
void vary_spreading(ModuleSpec& spec, size_t turn) {
  constexpr std::array<double, 4> kBack{kSpreadBack, 0.05, 0.1, 0.2};
  auto* spread = std::get_if<SpreadOptions>(&spec.kind);
  if (spread && spec.rounds == 1) spread->back = kBack[turn % kBack.size()];
}

// Whether the settings allow this module and the data suit it.
bool is_tried(const ModuleSpec& spec, const DataKind& kind, const Config& config) {
  if (kind.has_negative && counts_features(spec)) return false;
  return !std::visit([&](const auto& options) { return options.is_left_out(config); }, spec.kind);
}

// The settings that hold for every module, and those of its kind.
void apply_settings(ModuleSpec& spec, const Config& config) {
  if (config.k > 0) spec.graph.k = config.k;
  if (!config.votes) spec.views.resize(1);
  if (!config.second_round) spec.rounds = 1;
  if (!config.label_links) spec.graph.label_weight = 0;
  if (!config.feature_weights) spec.graph.select = 0;
  std::visit([&](auto& options) { options.apply(config); }, spec.kind);
}

}  // namespace

View covariance_view(const DataKind& kind, View view) {
  constexpr int64_t kWidest = 200;  // an iteration is cubic in the columns
  return kind.columns > kWidest ? View::kSvd64 : view;
}

std::vector<ModuleSpec> module_pool(const DataKind& kind, const Config& config) {
  std::vector<ModuleSpec> pool;
  const bool few = kind.rows > kManyRows;
  if (kind.is_text) {
    add_text_gnns(pool);
    add_multinomial(pool);
    if (config.feature_graph) add_joined_gnns(pool);
    if (few) thin_out(pool);
  } else {
    add_table_modules(pool, {kind.shares_scale ? View::kRaw : View::kRank, View::kStandard}, kind,
                      few);
    if (config.feature_graph) add_table_modules(pool, {View::kJoined}, kind, few);
    if (suits_prior(kind)) add_prior(pool);
  }
  std::erase_if(pool, [&](const ModuleSpec& spec) { return !is_tried(spec, kind, config); });
  if (config.network_round) add_after_network(pool);
  for (size_t m = 0; m < pool.size(); ++m) {
    pool[m].number = static_cast<uint32_t>(m);
    pool[m].family = family_of(pool[m]);
    pool[m].group = group_of(pool[m], kind);
    if (kind.has_graph) {
      const bool doubts = config.edge_trust && m % kEdgesAsGiven > 1;
      if (config.edge_trust) {
        pool[m].graph.given_edges = doubts ? GivenEdges::kTrusted : GivenEdges::kAllDespiteDoubts;
      }
      if (!doubts) vary_spreading(pool[m], m / kEdgesAsGiven);
      pool[m].mixes = config.class_mixing;
    }
    apply_settings(pool[m], config);
  }
  return pool;
}

}  // namespace glgnn
