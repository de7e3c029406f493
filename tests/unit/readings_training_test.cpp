// Every reading of the paper is a setting; each test shows that it changes what it should. This
// file: the network of graphs, the loss and the training.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "model/local_row.h"
#include "modules/feature_products.h"
#include "network/gl_gnn.h"
#include "readings_util.h"
#include "toy.h"

namespace glgnn {
namespace {

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
  EXPECT_FALSE(has_parameter(Aggregation::kConstant));
  // All start with agreement of the same kind, but only `previous` changes by finishing an epoch.
  const auto own_weight = [&](Aggregation reading, int finished) {
    config.aggregation = reading;
    return forward(toy.problem, config, false, finished).network[3][3];
  };
  EXPECT_EQ(own_weight(Aggregation::kTrained, 0), own_weight(Aggregation::kTrained, 1));
  EXPECT_EQ(own_weight(Aggregation::kPrevious, 0), own_weight(Aggregation::kTrained, 0));
  EXPECT_EQ(own_weight(Aggregation::kConstant, 0), own_weight(Aggregation::kTrained, 0));
  EXPECT_EQ(own_weight(Aggregation::kConstant, 1), own_weight(Aggregation::kConstant, 0));
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

TEST(Readings, TemperatureIsHigherWhereAGraphIsGivenUnlessItIsSet) {
  Toy toy;
  Config config = Toy::config();
  config.temperature = 0;
  EXPECT_EQ(train(toy.problem, config).config.temperature, 0.1);
  toy.problem.graph = &toy.graph;
  const Model open = train(toy.problem, config);
  EXPECT_EQ(open.config.temperature, 0.2);
  config.temperature = 0.2;
  EXPECT_EQ(train(toy.problem, config).history.back().loss, open.history.back().loss);
  config.temperature = 0.1;
  EXPECT_NE(train(toy.problem, config).history.back().loss, open.history.back().loss);
}

TEST(Readings, NetworkStartScalesTheLogits) {
  Toy toy;
  Config config = Toy::config();
  const Matrix five = forward(toy.problem, config, false).logits;
  config.network_start = 10;
  const Matrix ten = forward(toy.problem, config, false).logits;
  for (int64_t e = 0; e < five.size(); ++e) EXPECT_NEAR(2 * five.data()[e], ten.data()[e], 1e-4);
}

TEST(Readings, AlphaAsASumIsNTimesTheMean) {
  Toy toy;
  Config config = Toy::config();
  const Matrix mean = forward(toy.problem, config, false).network;
  config.alpha_mean = false;
  const Matrix sum = forward(toy.problem, config, false).network;
  for (int64_t e = 0; e < mean.size(); ++e) {
    EXPECT_NEAR(60 * mean.data()[e], sum.data()[e], 1e-5 * std::abs(sum.data()[e]));
  }
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
  config.temperature = 1;  // such steps would overflow exp(S / 0.1 - lse) of an old lse
  const auto choices = [&](int64_t refresh) {
    config.refresh = refresh;
    config.epochs = 4;
    config.hops = 1;
    Config first = config;
    first.epochs = 1;
    Problem without_validation = toy.problem;
    without_validation.val.clear();  // the last epoch is kept
    return std::pair{train(without_validation, first).modules[0].graph.pattern->col,
                     train(without_validation, config).modules[0].graph.pattern->col};
  };
  for (const Rescale rescale : {Rescale::kSumK, Rescale::kNone}) {
    config.rescale = rescale;
    const auto [first_kept, last_kept] = choices(4);
    EXPECT_EQ(first_kept, last_kept);
    const auto [first_fresh, last_fresh] = choices(1);
    EXPECT_NE(first_fresh, last_fresh);
  }
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
        ASSERT_TRUE(model.modules()[0].neighbours().is_label_free());
        const Csr short_way = to_csr(model.forward(tape, {true, 1, true}).modules[0].graph);
        EXPECT_EQ(whole.pattern->col, short_way.pattern->col);
        EXPECT_EQ(whole.values, short_way.values);
        EXPECT_NE(whole.values, unlabelled.values);
        model.finish_step();
        EXPECT_FALSE(model.modules()[0].neighbours().is_label_free());
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
  EXPECT_EQ(model.modules.size(), 2u);
  EXPECT_EQ(state_of(model, 1).w1.cols(), 5);
  Config other = config;
  other.seed = 1;
  EXPECT_NE(train(toy.problem, other).modules[0].selection[0], model.modules[0].selection[0]);
}

// What an epoch leaves out because it was done before or nobody reads it.

using test::Toy;

GlGnnOutput train_once(GlGnn& model, Tape& tape) { return model.forward(tape, {true, 0, true}); }

TEST(DoubleWork, ModulesShareTheHopsOfAGivenGraph) {
  Toy toy(60, 7, false, true);
  Config config = Toy::config();
  config.given_graph = GivenGraph::kStart;
  GlGnn model(toy.problem, config, Context{1});
  for (const SubModule& module : model.modules()) {
    EXPECT_EQ(module.hop_graph().pattern, toy.graph.pattern);
  }
  // Afterwards each has its own, found as if nothing had been shared.
  Tape tape(Context{1}, false);
  const GlGnnOutput out = train_once(model, tape);
  model.finish_epoch(out);
  for (size_t m = 0; m < out.modules.size(); ++m) {
    EXPECT_EQ(model.modules()[m].hop_graph().pattern, out.modules[m].second_graph.pattern);
  }
}

TEST(DoubleWork, TheSecondGraphIsMadeWhereItIsRead) {
  const auto second_graph = [](bool known, double mu1) {
    Toy toy(60, 7, false, known);
    Config config = Toy::config();
    config.mu1 = mu1;
    GlGnn model(toy.problem, config, Context{1});
    Tape tape(Context{1}, false);
    return train_once(model, tape).modules[0].second_graph.pattern;
  };
  EXPECT_EQ(second_graph(true, 0.0), nullptr);
  EXPECT_NE(second_graph(true, 0.1), nullptr);
  EXPECT_NE(second_graph(false, 0.0), nullptr);  // its hops are read
}

TEST(DoubleWork, LossWithoutTheSecondGraph) {
  Toy toy(60, 7, false, true);
  Config with = Toy::config(), without = with;
  without.mu1 = 0.0;
  const auto loss = [&](const Config& config) {
    GlGnn model(toy.problem, config, Context{1});
    Tape tape(Context{1}, true);
    return model.loss(tape, train_once(model, tape));
  };
  EXPECT_EQ(loss(without).graph, 0.0);
  EXPECT_EQ(loss(without).entropy, loss(with).entropy);
}

// Column f + 6 is column f with a little noise.
Features columns_twice(bool sparse) {
  const Rng rng{8, Stream::kInit, 0, 0};
  Features x;
  x.dense = Matrix(50, 12);
  for (int64_t i = 0; i < 50; ++i) {
    for (int64_t f = 0; f < 12; ++f) {
      x.dense[i][f] =
          rng.normal(i * 6 + f % 6) + (f < 6 ? 0.0f : 0.1f * rng.normal(1000 + i * 6 + f));
    }
  }
  if (!sparse) return x;
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = 50;
  pattern->cols = 12;
  for (int64_t i = 0; i < 50; ++i) {
    for (int32_t f = 0; f < 12; ++f) {
      pattern->col.push_back(f);
      x.sparse.values.push_back(x.dense[i][f]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  x.sparse.pattern = std::move(pattern);
  x.is_sparse = true;
  x.dense = {};
  return x;
}

TEST(FeatureGraph, JoinsColumnsThatAreAlike) {
  for (const bool sparse : {false, true}) {
    const Csr found = alike_columns(columns_twice(sparse), Opposite::kUnlike, Context{1});
    ASSERT_EQ(found.rows(), 12);
    for (int32_t f = 0; f < 12; ++f) {
      for (int64_t e = found.pattern->row_ptr[f]; e < found.pattern->row_ptr[f + 1]; ++e) {
        const bool is_copy = found.pattern->col[e] == (f + 6) % 12;
        const float cosine = found.values[e];
        EXPECT_TRUE(is_copy ? cosine > 0.95f : cosine < 0.7f) << f << " " << cosine;
      }
      const std::vector<int32_t> others(found.pattern->col.begin() + found.pattern->row_ptr[f],
                                        found.pattern->col.begin() + found.pattern->row_ptr[f + 1]);
      EXPECT_LE(others.size(), 5u);
      EXPECT_TRUE(std::ranges::binary_search(others, (f + 6) % 12)) << f;
    }
  }
}

TEST(FeatureGraph, ItsGradientIsThatOfDifferences) {
  for (const bool sparse : {false, true}) {
    const Toy toy(60, 7, sparse);
    Config config = Toy::config();
    config.feature_graph = true;
    config.dropout = 0;
    config.mu1 = 0;
    const Context context{1};
    GlGnn model(toy.problem, config, context);
    SubModule& module = model.modules().front();
    const auto loss = [&](bool backward) {
      Tape tape(context, backward);
      const double value = model.loss(tape, model.forward(tape, {true, 0, true})).total();
      if (backward) tape.backward();
      return value;
    };
    loss(true);
    for (Parameter* p : {&module.column_pairs(), &module.column_shares()}) {
      for (int64_t e = 0; e < std::min<int64_t>(p->value.size(), 6); ++e) {
        constexpr float kStep = 0.002f;  // relu bends within larger ones
        const float at = p->value.data()[e];
        p->value.data()[e] = at + kStep;
        const double above = loss(false);
        p->value.data()[e] = at - kStep;
        const double below = loss(false);
        p->value.data()[e] = at;
        const double slope = (above - below) / (2 * kStep);
        EXPECT_NEAR(p->grad.data()[e], slope, 0.03 * std::abs(slope) + 2e-5) << p->name << " " << e;
      }
    }
  }
}

// The kept weights are those that the first layer used: a fitted row is said the same anew.
TEST(FeatureGraph, IsInTheWeightsThatAreKept) {
  const Toy toy(60, 7);
  Config config = Toy::config();
  config.feature_graph = true;
  config.epochs = 20;
  Model model = train(toy.problem, config);
  Dataset data;
  data.features = toy.features;
  data.labels = toy.labels;
  for (int64_t f = 0; f < 7; ++f) data.feature_names.push_back(std::to_string(f));
  data.class_names = {"a", "b", "c"};
  keep_data(model, std::move(data), {});
  const auto frozen = freeze(model, Context{1});
  const Matrix& columns = model.parameter("module0.columns");
  ASSERT_EQ(columns.cols(), 3);
  for (int64_t e = 0; e < columns.rows(); ++e) {
    EXPECT_NE(columns[e][0], columns[e][1]);
    EXPECT_GT(columns[e][2], 0);
  }
  for (int32_t row = 0; row < 60; row += 7) {
    const LocalRow local(*frozen, row);
    const Matrix p = local.predict({local.all()});
    for (int64_t c = 0; c < 3; ++c) EXPECT_NEAR(p[0][c], model.probabilities[row][c], 1e-4) << row;
  }
}

}  // namespace
}  // namespace glgnn
