// Every reading of the paper is a setting; each test shows that it changes what it should. This
// file: the sub-module and its graphs.
#include <gtest/gtest.h>

#include <bit>

#include "readings_util.h"

namespace glgnn {
namespace {

TEST(Readings, SelectStart) {
  Toy toy;
  Config config = Toy::config();
  for (const SelectStart start : {SelectStart::kNearOne, SelectStart::kUniform}) {
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
      const std::vector<float>& s = model.modules[m].selection;
      lowest = std::min(lowest, *std::min_element(s.begin(), s.end()));
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

TEST(Readings, LabelWeightIsTheRootOfTheTemperatureUnlessGiven) {
  Toy toy;
  Config config = Toy::config();
  const auto values = [&](double weight, double temperature) {
    config.label_weight = weight;
    config.temperature = temperature;
    const Forward out = forward(toy.problem, config, true);
    return std::pair{out.graphs[0].values, out.second_graphs[0].values};
  };
  EXPECT_EQ(values(-1, 0.25), values(0.5, 0.25));
  EXPECT_EQ(values(-1, 4), values(2, 4));
  EXPECT_NE(values(-1, 0.25), values(1, 0.25));
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
  config.symmetrise = Symmetrise::kNone;
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
  config.symmetrise = Symmetrise::kNone;
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
  config.temperature = 1;
  config.symmetrise = Symmetrise::kNone;
  const auto values = [&](SoftmaxOver over, Rescale rescale) {
    config.softmax_over = over;
    config.rescale = rescale;
    return forward(toy.problem, config, false).graphs[0];
  };
  for (const Rescale rescale : {Rescale::kSumK, Rescale::kSumOne, Rescale::kLargestOne}) {
    EXPECT_EQ(values(SoftmaxOver::kAll, rescale).values,
              values(SoftmaxOver::kKept, rescale).values);
  }
  const Csr all = values(SoftmaxOver::kAll, Rescale::kNone);
  const Csr kept = values(SoftmaxOver::kKept, Rescale::kNone);
  for (int64_t i = 0; i < all.rows(); ++i) {
    EXPECT_GT(diagonal_weight(all, i), diagonal_weight(kept, i));
  }
}

// The diagonal of A' is 1 / (1 + the sum of the row).
TEST(Readings, RescaleSaysHowMuchTheSelfLoopWeighs) {
  Toy toy;
  Config config = Toy::config();
  config.temperature = 1;
  config.symmetrise = Symmetrise::kNone;
  const auto row_sums = [&](Rescale rescale) {
    config.rescale = rescale;
    const Csr graph = forward(toy.problem, config, false).graphs[0];
    std::vector<double> sums;
    for (int64_t i = 0; i < graph.rows(); ++i) sums.push_back(1 / diagonal_weight(graph, i) - 1);
    return sums;
  };
  const auto sum_k = row_sums(Rescale::kSumK), sum_one = row_sums(Rescale::kSumOne);
  const auto largest = row_sums(Rescale::kLargestOne), literal = row_sums(Rescale::kNone);
  for (size_t i = 0; i < sum_k.size(); ++i) {
    EXPECT_NEAR(sum_k[i], static_cast<double>(config.k), 1e-4);
    EXPECT_NEAR(sum_one[i], 1, 1e-5);
    EXPECT_GT(largest[i], 1);
    EXPECT_LT(largest[i], static_cast<double>(config.k));
    EXPECT_LT(literal[i], 1);
  }
}

TEST(Readings, StartsOfTheHopWeights) {
  Toy toy;
  Config config = Toy::config();
  config.hops = 3;
  config.near_start = 2;
  config.second_start = 0.5;
  config.far_start = 0.125;
  GlGnn model(toy.problem, config, Context{1});
  for (SubModule& module : model.modules()) {
    const Matrix& v = module.parameters()[3]->value;
    const auto weight = [&](int hop) { return std::log1p(std::exp(v.data()[hop])); };
    EXPECT_NEAR(weight(0), 2, 1e-6);
    EXPECT_NEAR(weight(1), 0.5, 1e-6);
    EXPECT_NEAR(weight(2), 0.5, 1e-6);
    EXPECT_NEAR(weight(3), 0.125, 1e-6);
  }
}

TEST(Readings, FarPairsThatStartImprobableLetTheGivenGraphSpeak) {
  Toy toy(60, 7, false, true);
  Config config = Toy::config();
  config.hops = 1;
  config.symmetrise = Symmetrise::kNone;
  const auto given_kept = [&](double far_start) {
    config.far_start = far_start;
    const Csr graph = forward(toy.problem, config, false).graphs[0];
    int kept = 0;
    for (int64_t i = 0; i + 3 < 60; ++i) kept += has_edge(graph, i, i + 3);
    return kept;
  };
  EXPECT_GT(given_kept(1e-6), given_kept(1));
  config.temperature = 1;
  EXPECT_EQ(given_kept(1e-6), 57);  // the whole ring
}

TEST(Readings, SampledNeighboursAreDrawnInTrainingOnly) {
  for (const bool sparse : {false, true}) {
    Toy toy(60, 7, sparse);
    Config config = Toy::config();
    config.label_hide = 1;  // training sees what evaluation sees
    config.temperature = 1;
    config.symmetrise = Symmetrise::kNone;
    const auto columns = [&](bool draws, bool training, int epoch) {
      config.sample_neighbours = draws;
      return forward(toy.problem, config, training, epoch).graphs[0].pattern->col;
    };
    EXPECT_EQ(columns(false, true, 0), columns(false, false, 0));
    EXPECT_EQ(columns(true, false, 0), columns(false, false, 0));
    EXPECT_NE(columns(true, true, 0), columns(false, true, 0));
    EXPECT_EQ(columns(true, true, 0), columns(true, true, 0));
    config.last_graph = LastGraph::kFirst;  // other hops do not make the difference alone
    EXPECT_NE(columns(true, true, 1), columns(true, true, 2));
    // At a low temperature a probable row is drawn nearly always.
    config.temperature = 1e-4;
    EXPECT_EQ(columns(true, true, 0), columns(false, true, 0));
  }
}

TEST(Readings, BiasIsTrainedAndMovesThePrediction) {
  Toy toy;
  Config config = Toy::config();
  EXPECT_TRUE(state_of(train(toy.problem, config), 0).b1.empty());
  const Matrix without = forward(toy.problem, config, false).logits;
  config.bias = true;
  const Matrix with = forward(toy.problem, config, false).logits;
  EXPECT_EQ(std::vector(without.data(), without.data() + without.size()),
            std::vector(with.data(), with.data() + with.size()));  // it starts at 0
  const Model model = train(toy.problem, config);
  EXPECT_EQ(state_of(model, 0).b1.cols(), config.hidden);
  EXPECT_EQ(state_of(model, 2).b2.cols(), 3);
  EXPECT_NE(state_of(model, 0).b1.data()[0], 0);
  EXPECT_NE(state_of(model, 0).b2.data()[0], 0);
}

TEST(Readings, HopsAndTheirFormChangeTheNearPairs) {
  Toy toy(60, 7, false, true);
  for (float& value : toy.graph.values) value = 0.5f;  // shells do not see it, powers do
  const auto near = [&](int64_t hops) {
    const HopShells shells(toy.graph.pattern, hops);
    std::vector<uint64_t> room(hops * shells.words());
    int64_t count = 0;
    for (int64_t i = 0; i < shells.rows(); ++i) {
      const RowMarks marks = shells.marks(i, 0, shells.words(), room.data());
      const uint64_t* last = marks.words + (hops - 1) * marks.stride;
      for (int64_t w = 0; w < shells.words(); ++w) count += std::popcount(last[w]);
    }
    return count;
  };
  EXPECT_EQ(near(1), toy.graph.nnz());
  EXPECT_GT(near(2), near(1));
  EXPECT_GT(near(3), near(2));
  // Trained, the hop weights move; with other hops or another form they move elsewhere.
  Config config = Toy::config();
  const Matrix two = state_of(train(toy.problem, config), 0).v;
  EXPECT_EQ(two.size(), 3);
  config.hop_form = HopForm::kPowers;
  const Matrix powers = state_of(train(toy.problem, config), 0).v;
  EXPECT_NE(two.data()[0], powers.data()[0]);
  config.hops = 3;
  EXPECT_EQ(state_of(train(toy.problem, config), 0).v.size(), 4);
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

}  // namespace
}  // namespace glgnn
