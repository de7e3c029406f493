// What an epoch leaves out because it was done before or nobody reads it.
#include <gtest/gtest.h>

#include "network/gl_gnn.h"
#include "toy.h"

namespace glgnn {
namespace {

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

}  // namespace
}  // namespace glgnn
