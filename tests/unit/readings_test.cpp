// Every reading of the paper is a setting; each test shows that it changes what it should.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "nn/gl_gnn.h"
#include "toy.h"

namespace glgnn {
namespace {

using test::Toy;

struct Forward {
  std::vector<Csr> graphs;
  std::vector<Csr> second_graphs;  // training passes only
  Matrix network, logits;
};

// A fresh model's pass, after `epochs` training steps of the optimiser-free kind (hop graphs only).
Forward forward(const Problem& problem, const Config& config, bool training, int finished = 0) {
  const Context context{1};
  GlGnn model(problem, config, context);
  for (int e = 0; e < finished; ++e) {
    Tape tape(context, false);
    model.finish_epoch(model.forward(tape, {true, static_cast<uint32_t>(e), true}));
  }
  Tape tape(context, false);
  const GlGnnOutput out = model.forward(tape, {training, static_cast<uint32_t>(finished), true});
  Forward result;
  for (const SubModuleOutput& module : out.modules) {
    result.graphs.push_back(to_csr(module.graph));
    if (training) result.second_graphs.push_back(to_csr(module.second_graph));
  }
  result.network = *out.network.network.value;
  result.logits = *out.network.logits.value;
  return result;
}

Model train(const Problem& problem, const Config& config) {
  return fit(problem, config, Context{1}).model;
}

double diagonal_weight(const Csr& graph, int64_t i) {
  for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
    if (graph.pattern->col[e] == i) return graph.values[e];
  }
  return 0;
}

double largest_off_diagonal(const Csr& graph, int64_t i) {
  double top = 0;
  for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
    if (graph.pattern->col[e] != i) top = std::max<double>(top, graph.values[e]);
  }
  return top;
}

bool has_edge(const Csr& graph, int64_t i, int64_t j) {
  const auto* begin = graph.pattern->col.data() + graph.pattern->row_ptr[i];
  const auto* end = graph.pattern->col.data() + graph.pattern->row_ptr[i + 1];
  return std::binary_search(begin, end, static_cast<int32_t>(j));
}

TEST(Readings, SelectStart) {
  Toy toy;
  Config config = Toy::config();
  for (const SelectStart start : {SelectStart::kUniform, SelectStart::kNearOne}) {
    config.select_start = start;
    GlGnn model(toy.problem, config, Context{1});
    bool outside_unit = false, far_from_one = false;
    for (SubModule& module : model.modules()) {
      const Matrix& s = module.selection().value;
      for (int64_t f = 0; f < s.size(); ++f) {
        outside_unit |= s.data()[f] <= 0 || s.data()[f] >= 1;
        far_from_one |= std::abs(s.data()[f] - 1) > 0.5f;
      }
    }
    EXPECT_EQ(outside_unit, start == SelectStart::kNearOne);
    EXPECT_EQ(far_from_one, start == SelectStart::kUniform);
  }
}

TEST(Readings, SelectNonNegative) {
  Toy toy;
  Config config = Toy::config();
  config.learning_rate = 0.3;
  config.epochs = 10;
  for (const bool clamp : {false, true}) {
    config.select_non_negative = clamp;
    const Model model = train(toy.problem, config);
    float lowest = 1;
    for (int m = 0; m < 3; ++m) {
      const Matrix& s = model.parameter("module" + std::to_string(m) + ".s");
      lowest = std::min(lowest, *std::min_element(s.data(), s.data() + s.size()));
    }
    EXPECT_EQ(lowest < 0, !clamp) << lowest;
  }
}

TEST(Readings, LabelWeightPullsTrainingRowsOfOneClassTogether) {
  Toy toy;
  Config config = Toy::config();
  config.label_hide = 0;
  config.k = 3;  // each class has four training rows: three others
  const auto same_class_links = [&](double weight) {
    config.label_weight = weight;
    const Csr graph = forward(toy.problem, config, true).graphs[0];
    int links = 0;
    for (const int32_t i : toy.problem.train) {
      for (const int32_t j : toy.problem.train) {
        links += i != j && toy.labels[i] == toy.labels[j] && has_edge(graph, i, j);
      }
    }
    return links;
  };
  EXPECT_EQ(same_class_links(100), 36);
  EXPECT_LT(same_class_links(0), 36);
}

TEST(Readings, LabelHideHidesAFractionInTrainingOnly) {
  Toy toy;
  Config config = Toy::config();
  config.label_weight = 100;
  const auto graph = [&](double hide, bool training) {
    config.label_hide = hide;
    return forward(toy.problem, config, training).graphs[0].pattern->col;
  };
  EXPECT_NE(graph(0, true), graph(1, true));
  EXPECT_NE(graph(0, true), graph(0.5, true));
  EXPECT_EQ(graph(0, false), graph(1, false));
  EXPECT_EQ(graph(1, true), graph(0, false));  // all hidden is what evaluation sees
}

TEST(Readings, EvalLabels) {
  Toy toy;
  Config config = Toy::config();
  config.label_hide = 0;
  const auto evaluation = forward(toy.problem, config, false).graphs[0].values;
  config.eval_labels = EvalLabels::kTrain;
  const auto with_labels = forward(toy.problem, config, false).graphs[0].values;
  const auto training = forward(toy.problem, config, true).graphs[0].values;
  EXPECT_NE(evaluation, with_labels);
  EXPECT_EQ(with_labels, training);  // the first epoch's graph has no dropout in it
}

TEST(Readings, CosineIgnoresTheLengthOfRows) {
  Toy toy, longer;
  for (int64_t f = 0; f < longer.features.cols(); ++f) longer.features.dense[30][f] *= 8;
  Config config = Toy::config();
  const auto column = [&](const Toy& t) {
    return forward(t.problem, config, false).graphs[0].pattern->col;
  };
  EXPECT_NE(column(toy), column(longer));
  config.similarity = Similarity::kCosine;
  EXPECT_EQ(column(toy), column(longer));
}

TEST(Readings, TemperatureFlattensTheEdges) {
  Toy toy;
  Config config = Toy::config();
  for (const Similarity similarity : {Similarity::kDot, Similarity::kCosine}) {
    config.similarity = similarity;
    config.temperature = 0.5;
    const Csr sharp = forward(toy.problem, config, false).graphs[0];
    config.temperature = 50;
    const Csr flat = forward(toy.problem, config, false).graphs[0];
    EXPECT_EQ(sharp.pattern->col, flat.pattern->col);  // the order stays
    for (int64_t i = 0; i < sharp.rows(); ++i) {
      EXPECT_GT(largest_off_diagonal(sharp, i), largest_off_diagonal(flat, i));
    }
  }
}

TEST(Readings, DiagonalLetsRowsChooseThemselves) {
  Toy toy;
  Config config = Toy::config();
  const Csr without = forward(toy.problem, config, false).graphs[0];
  config.diagonal = true;
  const Csr with = forward(toy.problem, config, false).graphs[0];
  int chose_themselves = 0;
  for (int64_t i = 0; i < with.rows(); ++i) {
    EXPECT_EQ(without.pattern->view().row_size(i), config.k + 1);
    chose_themselves += with.pattern->view().row_size(i) == config.k;  // k chosen, i among them
  }
  EXPECT_GT(chose_themselves, 20);
}

TEST(Readings, SoftmaxOverAllOrKeptDifferOnlyWithoutRescaling) {
  Toy toy;
  Config config = Toy::config();
  const auto values = [&](SoftmaxOver over, bool rescale) {
    config.softmax_over = over;
    config.rescale = rescale;
    return forward(toy.problem, config, false).graphs[0];
  };
  EXPECT_EQ(values(SoftmaxOver::kAll, true).values, values(SoftmaxOver::kKept, true).values);
  const Csr all = values(SoftmaxOver::kAll, false), kept = values(SoftmaxOver::kKept, false);
  for (int64_t i = 0; i < all.rows(); ++i) {
    EXPECT_LT(largest_off_diagonal(all, i), largest_off_diagonal(kept, i));
    EXPECT_GT(diagonal_weight(all, i), diagonal_weight(kept, i));
  }
}

TEST(Readings, RescaleGivesTheSelfLoopHalf) {
  Toy toy;
  Config config = Toy::config();
  const Csr scaled = forward(toy.problem, config, false).graphs[0];
  for (int64_t i = 0; i < scaled.rows(); ++i) EXPECT_NEAR(diagonal_weight(scaled, i), 0.5, 1e-6);
  config.rescale = false;
  const Csr literal = forward(toy.problem, config, false).graphs[0];
  for (int64_t i = 0; i < literal.rows(); ++i) EXPECT_GT(diagonal_weight(literal, i), 0.5);
}

TEST(Readings, HopsAndTheirFormChangeTheNearPairs) {
  Toy toy(60, 7, false, true);
  for (float& value : toy.graph.values) value = 0.5f;  // shells do not see it, powers do
  const auto near = [&](int64_t hops) { return hop_shells(toy.graph.pattern->view(), hops, 1); };
  EXPECT_EQ(near(1).near.nnz(), toy.graph.nnz());
  EXPECT_GT(near(2).near.nnz(), near(1).near.nnz());
  EXPECT_GT(near(3).near.nnz(), near(2).near.nnz());
  // Trained, the hop weights move; with other hops or another form they move elsewhere.
  Config config = Toy::config();
  const Matrix two = train(toy.problem, config).parameter("module0.v");
  EXPECT_EQ(two.size(), 3);
  config.hop_form = HopForm::kPowers;
  const Matrix powers = train(toy.problem, config).parameter("module0.v");
  EXPECT_NE(two.data()[0], powers.data()[0]);
  config.hops = 3;
  EXPECT_EQ(train(toy.problem, config).parameter("module0.v").size(), 4);
}

TEST(Readings, GivenGraph) {
  Toy toy(60, 7, false, true);
  Config config = Toy::config();
  const auto hop_graph = [&](GivenGraph reading) {
    config.given_graph = reading;
    GlGnn model(toy.problem, config, Context{1});
    EXPECT_EQ(model.modules()[0].hop_graph().pattern->col, toy.graph.pattern->col);
    Tape tape(Context{1}, false);
    const GlGnnOutput out = model.forward(tape, {true, 0, true});
    model.finish_epoch(out);
    const Csr last = to_csr(out.modules[0].second_graph);
    return std::pair{model.modules()[0].hop_graph(), last};
  };
  EXPECT_EQ(hop_graph(GivenGraph::kAlways).first.pattern->col, toy.graph.pattern->col);
  const auto [start, last] = hop_graph(GivenGraph::kStart);
  EXPECT_EQ(start.pattern->col, last.pattern->col);
  const Csr both = hop_graph(GivenGraph::kUnion).first;
  EXPECT_GT(both.nnz(), last.nnz());
  for (int64_t i = 0; i + 3 < 60; ++i) EXPECT_TRUE(has_edge(both, i, i + 3));
}

TEST(Readings, LastGraph) {
  Toy toy;
  Config config = Toy::config();
  for (const LastGraph reading : {LastGraph::kSecond, LastGraph::kFirst}) {
    config.last_graph = reading;
    GlGnn model(toy.problem, config, Context{1});
    EXPECT_EQ(model.modules()[0].hop_graph().rows(), 0);  // none at epoch 0
    Tape tape(Context{1}, false);
    const GlGnnOutput out = model.forward(tape, {true, 0, true});
    model.finish_epoch(out);
    const Csr first = to_csr(out.modules[0].graph), second = to_csr(out.modules[0].second_graph);
    ASSERT_NE(first.pattern->col, second.pattern->col);
    EXPECT_EQ(model.modules()[0].hop_graph().pattern->col,
              (reading == LastGraph::kSecond ? second : first).pattern->col);
  }
}

TEST(Readings, Symmetrise) {
  Toy toy;
  Config config = Toy::config();
  const auto asymmetry = [&](Symmetrise reading) {
    config.symmetrise = reading;
    const Csr graph = forward(toy.problem, config, false).graphs[0];
    int one_way = 0;
    for (int64_t i = 0; i < graph.rows(); ++i) {
      for (int64_t j = 0; j < graph.rows(); ++j)
        one_way += has_edge(graph, i, j) != has_edge(graph, j, i);
    }
    return std::pair{one_way, graph};
  };
  EXPECT_GT(asymmetry(Symmetrise::kNone).first, 0);
  const auto [mean_ways, mean] = asymmetry(Symmetrise::kMean);
  const auto [max_ways, max] = asymmetry(Symmetrise::kMax);
  EXPECT_EQ(mean_ways, 0);
  EXPECT_EQ(max_ways, 0);
  EXPECT_EQ(mean.pattern->col, max.pattern->col);
  EXPECT_NE(mean.values, max.values);
}

TEST(Readings, Aggregation) {
  Toy toy;
  Config config = Toy::config();
  const auto has_parameter = [&](Aggregation reading) {
    config.aggregation = reading;
    GlGnn model(toy.problem, config, Context{1});
    for (const Parameter* p : model.parameters()) {
      if (p->name == "network.agg") return true;
    }
    return false;
  };
  EXPECT_TRUE(has_parameter(Aggregation::kTrained));
  EXPECT_FALSE(has_parameter(Aggregation::kMean));
  EXPECT_FALSE(has_parameter(Aggregation::kPrevious));
  // All start with agreement of the same kind, but only `previous` changes by finishing an epoch.
  const auto own_weight = [&](Aggregation reading, int finished) {
    config.aggregation = reading;
    return forward(toy.problem, config, false, finished).network[3][3];
  };
  EXPECT_EQ(own_weight(Aggregation::kTrained, 0), own_weight(Aggregation::kTrained, 1));
  EXPECT_EQ(own_weight(Aggregation::kPrevious, 0), own_weight(Aggregation::kTrained, 0));
  EXPECT_NE(own_weight(Aggregation::kPrevious, 0), own_weight(Aggregation::kPrevious, 1));
  EXPECT_NE(own_weight(Aggregation::kMean, 0), own_weight(Aggregation::kTrained, 0));
}

TEST(Readings, AttentionAndNetworkWeight) {
  Toy toy;
  Config config = Toy::config();
  const Model per_row = train(toy.problem, config);
  EXPECT_EQ(per_row.parameter("network.a").rows(), 60);
  EXPECT_EQ(per_row.parameter("network.b").size(), 16);
  config.attention = Attention::kShared;
  config.network_weight = NetworkWeight::kScalar;
  const Model shared = train(toy.problem, config);
  EXPECT_EQ(shared.parameter("network.a").rows(), 1);
  EXPECT_EQ(shared.parameter("network.b").size(), 1);
  // Untrained, both forms say the same.
  const Matrix scalar = forward(toy.problem, config, false).network;
  config.network_weight = NetworkWeight::kMatrix;
  config.attention = Attention::kPerRow;
  const Matrix matrix = forward(toy.problem, config, false).network;
  for (int64_t e = 0; e < scalar.size(); ++e) EXPECT_NEAR(scalar.data()[e], matrix.data()[e], 1e-5);
}

TEST(Readings, NetworkStartScalesTheLogits) {
  Toy toy;
  Config config = Toy::config();
  const Matrix five = forward(toy.problem, config, false).logits;
  config.network_start = 10;
  const Matrix ten = forward(toy.problem, config, false).logits;
  for (int64_t e = 0; e < five.size(); ++e) EXPECT_NEAR(2 * five.data()[e], ten.data()[e], 1e-4);
}

TEST(Readings, LossWeights) {
  Toy toy;
  Config config = Toy::config();
  const auto first_epoch = [&](const std::function<void(Config&)>& change) {
    Config changed = config;
    change(changed);
    return train(toy.problem, changed).history[0];
  };
  const EpochReport base = first_epoch([](Config&) {});
  EXPECT_NEAR(base.loss, base.loss_graph + base.loss_entropy + base.loss_decay, 1e-9);
  EXPECT_NEAR(first_epoch([](Config& c) { c.mu1 *= 3; }).loss_graph, 3 * base.loss_graph, 1e-6);
  EXPECT_NEAR(first_epoch([](Config& c) { c.mu2 *= 3; }).loss_entropy, 3 * base.loss_entropy, 1e-6);
  EXPECT_NEAR(first_epoch([](Config& c) { c.weight_decay *= 3; }).loss_decay, 3 * base.loss_decay,
              1e-6);
  EXPECT_GT(first_epoch([](Config& c) { c.decay_on = DecayOn::kAll; }).loss_decay, base.loss_decay);
  // Without the graph's loss the second graph cannot move the weights.
  EXPECT_NE(first_epoch([](Config& c) { c.mu1 = 0; }).val_loss, base.val_loss);
}

TEST(Readings, DropoutIsForTrainingOnly) {
  Toy toy;
  Config config = Toy::config();
  const Matrix evaluation = forward(toy.problem, config, false).logits;
  const Matrix training = forward(toy.problem, config, true).logits;
  config.dropout = 0;
  const Matrix without = forward(toy.problem, config, false).logits;
  for (int64_t e = 0; e < without.size(); ++e) EXPECT_EQ(without.data()[e], evaluation.data()[e]);
  EXPECT_NE(training.data()[0], evaluation.data()[0]);
}

TEST(Readings, RefreshKeepsTheNeighboursInBetween) {
  Toy toy;
  Config config = Toy::config();
  config.learning_rate = 0.2;
  const auto choices = [&](int64_t refresh) {
    config.refresh = refresh;
    config.epochs = 4;
    config.hops = 1;
    Config first = config;
    first.epochs = 1;
    Problem without_validation = toy.problem;
    without_validation.val.clear();  // the last epoch is kept
    return std::pair{train(without_validation, first).module_graphs[0].pattern->col,
                     train(without_validation, config).module_graphs[0].pattern->col};
  };
  const auto [first_kept, last_kept] = choices(4);
  EXPECT_EQ(first_kept, last_kept);
  const auto [first_fresh, last_fresh] = choices(1);
  EXPECT_NE(first_fresh, last_fresh);
}

// After an evaluation the training pass only looks again at the rows whose labels are shown.
TEST(Readings, TheShortWayToTrainingNeighboursIsTheSameChoice) {
  for (const bool sparse : {false, true}) {
    for (const bool diagonal : {false, true}) {
      for (const double weight : {0.3, 1.0, 30.0}) {
        Toy toy(60, 7, sparse);
        Config config = Toy::config();
        config.diagonal = diagonal;
        config.label_weight = weight;
        config.label_hide = 0.25;
        GlGnn model(toy.problem, config, Context{1});
        Tape tape(Context{1}, false);
        model.finish_epoch(model.forward(tape, {true, 0, true}));
        const Csr whole = to_csr(model.forward(tape, {true, 1, true}).modules[0].graph);
        const Csr unlabelled = to_csr(model.forward(tape, {false, 1, true}).modules[0].graph);
        ASSERT_TRUE(model.modules()[0].has_label_free_choice());
        const Csr short_way = to_csr(model.forward(tape, {true, 1, true}).modules[0].graph);
        EXPECT_EQ(whole.pattern->col, short_way.pattern->col);
        EXPECT_EQ(whole.values, short_way.values);
        EXPECT_NE(whole.values, unlabelled.values);
        model.finish_step();
        EXPECT_FALSE(model.modules()[0].has_label_free_choice());
      }
    }
  }
}

TEST(Readings, ModulesAndHiddenAndSeed) {
  Toy toy;
  Config config = Toy::config();
  config.modules = 2;
  config.hidden = 5;
  const Model model = train(toy.problem, config);
  EXPECT_EQ(model.network.rows(), 3);
  EXPECT_EQ(model.module_graphs.size(), 2u);
  EXPECT_EQ(model.parameter("module1.w1").cols(), 5);
  Config other = config;
  other.seed = 1;
  EXPECT_NE(train(toy.problem, other).parameter("module0.s").data()[0],
            model.parameter("module0.s").data()[0]);
}

}  // namespace
}  // namespace glgnn
