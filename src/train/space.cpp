#include "train/space.h"

#include <initializer_list>

#include "core/rng.h"

namespace glgnn {
namespace {

class Draw {
 public:
  Draw(uint64_t seed, uint32_t index)
      : rng_{.seed = seed, .stream = Stream::kModules, .owner = 0, .step = index} {}

  template <class T>
  T one_of(std::initializer_list<T> values) {
    const auto at = static_cast<size_t>(rng_.uniform(next_++) * static_cast<float>(values.size()));
    return values.begin()[at];
  }

 private:
  Rng rng_;
  uint64_t next_ = 0;
};

std::vector<View> draw_votes(Draw& draw) {
  switch (draw.one_of({0, 1, 2, 3})) {
    case 0:
      return {View::kUnit, View::kTfidf};
    case 1:
      return {View::kUnit, View::kTfidf, View::kSvd32};
    case 2:
      return {View::kUnit, View::kSvd16, View::kSvd32, View::kSvd64};
    default:
      return {View::kTfidf, View::kSvd64};
  }
}

void draw_gnn(Draw& draw, ModuleSpec& spec) {
  spec.rounds = 2;
  spec.graph.label_weight = draw.one_of({0.0, 0.3, 0.6, 1.0});
  spec.graph.select = draw.one_of({0.0, 0.0, 0.5});
  spec.gnn.hidden = draw.one_of<int64_t>({32, 64});
  spec.gnn.steps = draw.one_of<int64_t>({4, 8, 12});
  spec.gnn.alpha = draw.one_of({0.05, 0.1, 0.2});
  spec.gnn.teacher_weight = draw.one_of({0.0, 0.5, 1.0, 2.0});
  spec.gnn.teacher_sure = draw.one_of({0.5, 0.8});
  spec.gnn.consistency = draw.one_of({0.0, 0.5, 1.0});
}

MultinomialOptions draw_multinomial(Draw& draw) {
  MultinomialOptions options;
  options.pseudo_count = draw.one_of({0.1, 0.3, 1.0});
  options.unlabelled_weight = draw.one_of({0.1, 0.3, 1.0});
  options.temperature = draw.one_of({0.3, 0.6, 1.0});
  options.scale = draw.one_of({5.0, 10.0, 20.0});
  options.smoothing = {.steps = draw.one_of<int64_t>({0, 1, 2, 4}),
                       .alpha = draw.one_of({0.1, 0.2, 0.4})};
  options.smooth_counts = draw.one_of<int64_t>({0, 0, 2});
  return options;
}

ModuleSpec draw_text(Draw& draw) {
  ModuleSpec spec;
  spec.head = draw.one_of({Head::kGnn, Head::kGnn, Head::kGnnTaught, Head::kMultinomial});
  spec.views = draw_votes(draw);
  spec.graph.k = draw.one_of<int64_t>({5, 10, 20});
  spec.graph.self_weight = draw.one_of({0.5, 1.0});
  spec.graph.given_weight = draw.one_of({0.1, 0.3, 0.6});
  spec.input = draw.one_of({View::kUnit, View::kTfidf, View::kTfidf});
  spec.teacher_input = View::kUnit;
  spec.multinomial = draw_multinomial(draw);
  if (spec.head == Head::kMultinomial) return spec;
  draw_gnn(draw, spec);
  spec.gnn.dropout = draw.one_of({0.5, 0.7, 0.8});
  spec.gnn.weight_decay = draw.one_of({0.0005, 0.002, 0.005});
  return spec;
}

ModuleSpec draw_table(Draw& draw, const DataKind& kind) {
  ModuleSpec spec;
  spec.head = draw.one_of({Head::kSpread, Head::kGaussian, Head::kGnn});
  const View view = draw.one_of({kind.shares_scale ? View::kRaw : View::kRank, View::kStandard});
  spec.views = {view};
  spec.input = view;
  spec.graph.k = draw.one_of<int64_t>({3, 5, 7, 10});
  spec.graph.euclidean = draw.one_of({false, true});
  spec.graph.given_weight = draw.one_of({0.1, 0.3, 0.6});
  spec.class_mass = spec.gaussian.class_mass = draw.one_of({false, true});
  spec.rounds = draw.one_of<int64_t>({1, 2});
  spec.graph.label_weight = draw.one_of({0.0, 0.3, 0.6});
  spec.graph.select = draw.one_of({0.0, 0.5, 1.0});
  spec.start_by_spreading = draw.one_of({false, true});
  spec.gaussian.shrink = draw.one_of({0.05, 0.1, 0.3});
  spec.gaussian.iterations = kind.shares_scale ? 4 : 40;
  spec.gaussian.smoothing = {.steps = draw.one_of<int64_t>({0, 1, 2, 4}), .alpha = 0.2};
  if (spec.head == Head::kGaussian) spec.input = covariance_view(kind, view);
  if (spec.head != Head::kGnn) return spec;
  draw_gnn(draw, spec);
  spec.gnn.dropout = draw.one_of({0.1, 0.3, 0.5});
  spec.gnn.weight_decay = draw.one_of({0.0005, 0.005, 0.02});
  return spec;
}

}  // namespace

ModuleSpec draw_module(const DataKind& kind, uint64_t seed, uint32_t index) {
  Draw draw(seed, index);
  return kind.is_text ? draw_text(draw) : draw_table(draw, kind);
}

}  // namespace glgnn
