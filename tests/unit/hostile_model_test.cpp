// Model files and checkpoints with a right checksum and wrong contents: each is refused with a word
// of what is wrong, or can be used; none may crash or read outside its memory.
#include <glgnn/error.h>
#include <glgnn/explain.h>
#include <glgnn/fit_dataset.h>
#include <glgnn/glgnn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/archive.h"
#include "core/rows.h"
#include "data_test_util.h"
#include "modules/kinds.h"
#include "report/report_data.h"
#include "toy.h"

namespace glgnn {
namespace {

// Numbers with gaps, categories, dates and names, in two classes that differ.
std::string table_text() {
  const Rng rng{5, Stream::kInit, 0, 0};
  std::string text = "id,size,colour,day,weight,kind\n";
  for (int i = 0; i < 36; ++i) {
    const bool apple = i % 2 == 0;
    const float size = (apple ? 7.0f : 5.0f) + rng.normal(2 * i);
    text += "r" + std::to_string(i) + "," + (i % 11 == 3 ? "" : std::to_string(size)) + "," +
            (i % 3 == 0   ? "red"
             : i % 3 == 1 ? "green"
                          : "blue") +
            ",2024-01-" + std::to_string(10 + (i * 7) % 19) + "," +
            std::to_string(rng.normal(2 * i + 1)) + "," + (apple ? "apple" : "pear") + "\n";
  }
  return text;
}

enum class Made { kTable, kSparse, kPaper };

class HostileModel : public ::testing::TestWithParam<Made> {
 protected:
  static void SetUpTestSuite() {
    for (const Made made : {Made::kTable, Made::kSparse, Made::kPaper})
      models()[made] = fit_one(made);
  }
  static void TearDownTestSuite() { models().clear(); }
  static std::map<Made, Model>& models() {
    static std::map<Made, Model> all;
    return all;
  }

  static Model fit_one(Made made) {
    const TempFolder folder;
    Config config;
    if (made == Made::kTable) {
      config.members = 5;
      config.folds = 1;
      const Dataset data = load_dataset(folder.write("t.csv", table_text()), {.label = "kind"});
      return fit_dataset(data, default_split(data, 0), config, Context{1}).model;
    }
    test::Toy toy(36, 5, made == Made::kSparse);
    Dataset data;
    data.name = "toy";
    data.features = toy.features;
    data.class_names = {"x", "y", "z"};
    data.feature_names = {"a", "b", "c", "d", "e"};
    data.labels = toy.problem.labels;
    Split split{.train = toy.problem.train, .val = toy.problem.val, .test = {30, 31}};
    if (made == Made::kPaper) {
      config = test::Toy::config();
      config.aggregation = Aggregation::kTrained;
      config.bias = true;
    } else {
      config.members = 4;
      config.epochs = 10;
    }
    return fit_dataset(data, split, config, Context{1}).model;
  }

  const Model& model() const { return models().at(GetParam()); }

  std::string bytes_of(const Model& model) const {
    save_model(model, folder_.path("m.glgnn"));
    return glgnn::bytes_of(folder_.path("m.glgnn"));
  }

  // What loading a changed model says.
  std::string refusal(const std::function<void(Model&)>& change) const {
    Model changed = model();
    change(changed);
    save_model(changed, folder_.path("m.glgnn"));
    return folder_.error_of(ErrorKind::kData, [&] { load_model(folder_.path("m.glgnn")); });
  }

  TempFolder folder_;
};

Csr changed_csr(const Csr& csr, const std::function<void(Pattern&)>& change) {
  auto pattern = std::make_shared<Pattern>(*csr.pattern);
  change(*pattern);
  return {std::move(pattern), csr.values};
}

// The same file with another checksum, which fits its bytes.
std::string repaired(std::string bytes) {
  constexpr size_t kHeader = 24;  // is summed last
  ByteSum all;
  all.add(bytes.data() + kHeader, bytes.size() - kHeader - sizeof(uint64_t));
  all.add(bytes.data(), kHeader);
  const uint64_t sum = all.value();
  std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
  return bytes;
}

// All that the commands do with a model.
void use(const Model& model) {
  const Context context{1};
  const Features first = rows_of(model.features, 0, std::min<int64_t>(3, model.features.rows()));
  NewRowPredictor(model, context).predict(first);
  const Explainer explainer(model, context);
  explainer.explain(0);
  explainer.explain(rows_of(model.features, 0, 1));
  report_data(model);
  suggest_rows(model, 3, context);
  for (const bool undirected : {false, true}) {
    learned_graph(model, {.module = 1, .top = 2, .undirected = undirected});
  }
}

TEST_P(HostileModel, AGoodOneIsUsed) {
  EXPECT_EQ(refusal([](Model&) {}), "no error");
  use(model());
}

TEST_P(HostileModel, WrongPlacesAreRefused) {
  const auto n = static_cast<int32_t>(model().probabilities.rows());
  const auto classes = static_cast<int32_t>(model().class_names.size());
  const std::string begin = "m.glgnn: its parts do not belong together: ";
  const std::string last = std::to_string(n - 1);
  EXPECT_EQ(refusal([&](Model& m) { m.train[0] = n; }), begin + "training rows: found " +
                                                            std::to_string(n) + ", expected 0 to " +
                                                            last + "; fit again");
  EXPECT_TRUE(
      begins(refusal([](Model& m) { m.train[0] = -1; }), begin + "training rows: found -1"));
  EXPECT_TRUE(begins(refusal([&](Model& m) { m.val.push_back(n); }), begin + "validation rows"));
  EXPECT_TRUE(begins(refusal([&](Model& m) { m.test.push_back(1 << 30); }), begin + "test rows"));
  EXPECT_TRUE(begins(refusal([&](Model& m) { m.labels[1] = classes; }), begin + "labels"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.labels[1] = -2; }), begin + "labels"));
  EXPECT_TRUE(begins(refusal([&](Model& m) {
                       m.held_back.assign(static_cast<size_t>(n), classes);
                       m.held_back_certainty.assign(static_cast<size_t>(n), 0.5f);
                     }),
                     begin + "rows held back"));
  EXPECT_TRUE(begins(refusal([&](Model& m) {
                       m.estimate.rows = 3;
                       m.estimate.majority_class = classes;
                     }),
                     begin + "estimate, largest class"));
  EXPECT_TRUE(begins(refusal([&](Model& m) { m.modules[0].line = 1 << 20; }),
                     begin + "module 1, line of the history"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.best_epoch = 0; }), begin + "best epoch"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.folds = -1; }), begin + "folds"));
}

TEST_P(HostileModel, BrokenSparseMatricesAreRefused) {
  const auto refused = [&](const std::function<void(Pattern&)>& change) {
    return refusal([&](Model& m) { m.modules[0].graph = changed_csr(m.modules[0].graph, change); });
  };
  const std::string begin = "m.glgnn: sparse matrix";
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.col[0] = static_cast<int32_t>(p.cols); }),
                     begin + ", row 0: found column " + std::to_string(model().labels.size())));
  EXPECT_TRUE(
      begins(refused([](Pattern& p) { p.col[0] = -1; }), begin + ", row 0: found column -1"));
  EXPECT_TRUE(
      begins(refused([](Pattern& p) { std::swap(p.col[0], p.col[1]); }), begin + ", row 0"));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.col[1] = p.col[0]; }), begin + ", row 0"));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.row_ptr[1] = 1LL << 40; }), begin + ", row 0"));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.row_ptr[2] = -7; }), begin));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.row_ptr[0] = 1; }), begin + ": found rows that"));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.rows = -1; }), begin + ": found -1 rows"));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.rows = INT64_MAX; }), begin));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.cols = -1; }), begin));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.row_ptr.clear(); }), begin));
  EXPECT_TRUE(begins(refused([](Pattern& p) { p.cols += 1; }),
                     "m.glgnn: its parts do not belong together: module 1, graph, columns"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.fused_graph.values[0] = NAN; }), begin + ", values"));
  if (!model().features.is_sparse) return;
  EXPECT_TRUE(begins(refusal([](Model& m) {
                       m.features.sparse = changed_csr(m.features.sparse, [](Pattern& p) {
                         p.col.back() = static_cast<int32_t>(p.cols);
                       });
                     }),
                     begin));
}

TEST_P(HostileModel, WrongShapesAndNumbersAreRefused) {
  const std::string begin = "m.glgnn: its parts do not belong together: ";
  EXPECT_TRUE(begins(refusal([](Model& m) { m.network = Matrix(1, 1); }), begin + "network"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.modules[0].selection.pop_back(); }),
                     begin + "module 1, selection"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.modules[0].selection[0] = INFINITY; }),
                     begin + "module 1, selection: found inf"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.probabilities[0][0] = 2; }),
                     begin + "probabilities: found 2"));
  const auto certainty_of_1e32 = [](Model& m) {
    m.held_back.assign(m.labels.size(), 0);
    m.held_back_certainty.assign(m.labels.size(), 1e32f);
  };
  EXPECT_TRUE(begins(refusal(certainty_of_1e32), begin + "rows held back, certainty: found 1000"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.modules[0].probabilities = Matrix(3, 2); }),
                     begin + "module 1, probabilities: found 3 x 2"));
  EXPECT_TRUE(
      begins(refusal([](Model& m) { m.modules[0].weight = NAN; }), begin + "module 1, weight"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.plan.scale.factor = {1}; }), begin + "scaling"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.plan.scale.scaling = static_cast<Scaling>(99); }),
                     begin + "scaling: found 99"));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.modules.clear(); }), begin + "modules"));
}

TEST_P(HostileModel, StatesThatDoNotFitAreRefused) {
  const std::string begin = "m.glgnn: its parts do not belong together: ";
  const auto refused = [&](const std::function<void(ModuleState&)>& change) {
    return refusal([&](Model& m) {
      ModuleState state = *m.modules[0].state;
      change(state);
      m.modules[0].state = std::make_shared<const ModuleState>(std::move(state));
    });
  };
  if (GetParam() == Made::kPaper) {
    const auto paper = [&](const std::function<void(PaperState&)>& change) {
      return refused([&](ModuleState& s) { change(std::get<PaperState>(s)); });
    };
    EXPECT_TRUE(
        begins(paper([](PaperState& s) { s.w1 = Matrix(2, 2); }), begin + "module 1, first"));
    EXPECT_TRUE(begins(paper([](PaperState& s) { s.w2 = Matrix(); }), begin + "module 1, second"));
    EXPECT_TRUE(
        begins(paper([](PaperState& s) { s.b1 = Matrix(1, 1); }), begin + "module 1, first"));
    EXPECT_TRUE(
        begins(paper([](PaperState& s) { s.v = Matrix(); }), begin + "module 1, weights of"));
    EXPECT_TRUE(begins(refused([](ModuleState& s) { s = PoolState{}; }), begin));
    EXPECT_TRUE(begins(refusal([](Model& m) { m.config.k = 37; }), begin + "k: found 37"));
    EXPECT_EQ(refusal([](Model& m) { m.config.k = -5; }),
              "m.glgnn: setting k: found \"-5\", expected whole number from 0");
    EXPECT_TRUE(begins(refusal([](Model& m) {
                         for (NamedMatrix& p : m.parameters) {
                           if (p.name == "network.agg") p.value = Matrix(36, 1);
                         }
                       }),
                       begin + "network.agg"));
    return;
  }
  const auto pool = [&](const std::function<void(PoolState&)>& change) {
    return refused([&](ModuleState& s) { change(std::get<PoolState>(s)); });
  };
  EXPECT_TRUE(
      begins(pool([](PoolState& s) { s.k = -5; }), begin + "module 1, neighbours: found -5"));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.own_weight = 7; }), begin + "module 1, own weight"));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.self_weight = NAN; }), begin + "module 1, self"));
  const std::string mixing = begin + "module 1, classes of edges";
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.mixing = Matrix(1, 7); }), mixing));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.mixing = Matrix(2, 2, -1); }), mixing));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.kind = PrototypeState{}; }), begin + "module 1"));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.kind = LayersState{}; }), begin + "module 1"));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.kind = LandmarkState{}; }), begin + "module 1"));
  EXPECT_TRUE(begins(pool([](PoolState& s) { s.kind = TreesState{}; }), begin + "module 1"));
  EXPECT_TRUE(begins(refused([](ModuleState& s) { s = PaperState{}; }), begin));
  EXPECT_TRUE(begins(refusal([](Model& m) { m.views = nullptr; }), begin + "views"));
  const auto view = [&](const std::function<void(FittedView&)>& change) {
    return refusal([&](Model& m) {
      FittedViews views = *m.views;
      for (FittedView& one : views) change(one);
      m.views = std::make_shared<const FittedViews>(std::move(views));
    });
  };
  EXPECT_TRUE(begins(view([](FittedView& v) { v.rule.mean = {1}; }), begin + "view "));
  EXPECT_TRUE(begins(view([](FittedView& v) { v.rule.ranks.resize(1); }), begin + "view "));
  EXPECT_TRUE(begins(view([](FittedView& v) { v.rule.view = View::kSvd16; }), begin + "view "));
  EXPECT_TRUE(begins(view([](FittedView& v) { v.rule.rarity = {1}; }), begin + "view "));
  EXPECT_TRUE(begins(view([](FittedView& v) { v.rule.largest = -1; }), begin + "view "));
}

TEST_P(HostileModel, ColumnsThatAreNotThoseOfTheFeaturesAreRefused) {
  if (GetParam() != Made::kTable) return;
  const std::string begin = "m.glgnn: its parts do not belong together: ";
  const auto column = [&](const std::function<void(TableColumn&)>& change) {
    return refusal([&](Model& m) {
      for (TableColumn& one : m.plan.columns) change(one);
    });
  };
  EXPECT_TRUE(begins(column([](TableColumn& c) { c.kind = static_cast<ColumnKind>(77); }),
                     begin + "column \"id\", kind: found 77"));
  EXPECT_TRUE(begins(column([](TableColumn& c) { c.order = static_cast<DateOrder>(-1); }), begin));
  EXPECT_TRUE(begins(column([](TableColumn& c) { c.levels.push_back("more"); }), begin));
  EXPECT_TRUE(begins(column([](TableColumn& c) { c.indicator = !c.indicator; }), begin));
  EXPECT_TRUE(begins(column([](TableColumn& c) { c.name = std::string(1000, 'x'); }), begin));
  EXPECT_TRUE(begins(
      refusal([](Model& m) { m.plan.columns.pop_back(), m.plan.columns.pop_back(); }), begin));
}

// Any byte, whatever it was for.
TEST_P(HostileModel, NoChangedByteCrashesWhoUsesIt) {
  const std::string good = bytes_of(model());
  std::mt19937 random(7);
  constexpr size_t kHeader = 24;
  int used = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = kHeader + random() % (bytes.size() - kHeader - 8);
      constexpr char kValues[] = {0, 1, 7, 127, -1, -128};
      bytes[at] = random() % 2 ? kValues[random() % sizeof kValues] : static_cast<char>(random());
    }
    const std::string path = folder_.write("bad.glgnn", repaired(bytes));
    try {
      const Model bad = load_model(path);
      use(bad);
      ++used;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
    }
  }
  EXPECT_GT(used, 0);
}

// Sizes in the file are no reason to ask for memory.
TEST_P(HostileModel, CutFilesAreRefused) {
  const std::string good = bytes_of(model());
  for (size_t size = 24; size + 8 < good.size(); size += 1 + good.size() / 150) {
    std::string bytes = good.substr(0, size) + std::string(8, '\0');
    const uint64_t payload = size - 24;
    std::memcpy(bytes.data() + 16, &payload, sizeof payload);
    const std::string path = folder_.write("cut.glgnn", repaired(bytes));
    EXPECT_NE(folder_.error_of(ErrorKind::kData, [&] { load_model(path); }), "no error") << size;
  }
}

std::string name_of(const ::testing::TestParamInfo<Made>& info) {
  constexpr const char* kNames[] = {"Table", "Sparse", "Paper"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(, HostileModel,
                         ::testing::Values(Made::kTable, Made::kSparse, Made::kPaper), name_of);

class HostileCheckpoint : public ::testing::TestWithParam<Mode> {};

TEST_P(HostileCheckpoint, NoChangedByteCrashesAResume) {
  const TempFolder folder;
  test::Toy toy(36, 5);
  Config config = test::Toy::config();
  config.mode = GetParam();
  config.members = 3;
  config.refresh = 2;
  config.softmax_over = SoftmaxOver::kAll;
  config.rescale = Rescale::kNone;
  config.gnn_heads = false;
  FitOptions options;
  options.checkpoint = folder.path("c.checkpoint");
  int lines = 0;
  const int stop = GetParam() == Mode::kPaper ? 5 : 20;
  options.on_epoch = [&](const EpochReport&) { return ++lines < stop; };
  options.checkpoint_seconds = 0;
  fit(toy.problem, config, Context{1}, options);
  const std::string good = bytes_of(options.checkpoint);
  options.resume = true;
  options.on_epoch = [&, count = 0](const EpochReport&) mutable { return ++count % 25 != 0; };
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::string bytes = good;
    if (round > 0) {
      const size_t at = 24 + random() % (bytes.size() - 32);
      bytes[at] = random() % 2 ? static_cast<char>(0xff) : static_cast<char>(random());
    }
    folder.write("c.checkpoint", repaired(bytes));
    try {
      fit(toy.problem, config, Context{1}, options);
    } catch (const Error& error) {
      EXPECT_NE(round, 0) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, HostileCheckpoint, ::testing::Values(Mode::kPaper, Mode::kBest),
                         [](const auto& tested) {
                           return tested.param == Mode::kPaper ? "Paper" : "Best";
                         });

}  // namespace
}  // namespace glgnn
