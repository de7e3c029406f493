// Best mode as a whole: what it may see, that it gives the same bits, and strange tables.
#include <glgnn/error.h>
#include <glgnn/trainer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "best_util.h"
#include "data_test_util.h"

namespace glgnn {
namespace {

using test::Table;

enum class Set { kWine, kPixels, kDocumentsWithGraph };

void PrintTo(Set set, std::ostream* out) {
  constexpr const char* kNames[] = {"wine", "pixels", "documents_with_graph"};
  *out << kNames[static_cast<int>(set)];
}

void make_set(Table& table, Set set) {
  switch (set) {
    case Set::kWine: {
      Dataset wine = load_dataset("wine");
      table.features = std::move(wine.features);
      table.labels = std::move(wine.labels);
      table.problem = {.features = &table.features,
                       .graph = nullptr,
                       .labels = {},
                       .train = wine.splits[0].train,
                       .val = wine.splits[0].val,
                       .classes = wine.classes()};
      table.reveal();
      break;
    }
    case Set::kPixels:
      test::make_blobs(table, 90, 20, 3, 2);
      for (int64_t e = 0; e < table.features.dense.size(); ++e) {
        float& value = table.features.dense.data()[e];
        value = std::clamp(std::round(4 + 2 * value), 0.0f, 12.0f);
      }
      table.split(3, 5);
      break;
    case Set::kDocumentsWithGraph:
      test::make_documents(table, 120, 3, 6, 0.6f);
      test::make_class_graph(table);
      table.split(3, 6, true);
      break;
  }
}

Config settings_of(Mode mode) {
  Config config;
  config.mode = mode;
  config.epochs = 15;
  if (mode == Mode::kPaper) config.k = 8;
  return config;
}

// Paper mode takes scaled features.
void prepare(Table& table, Mode mode) {
  if (mode == Mode::kPaper) {
    scale_features(table.features,
                   table.features.is_sparse ? Scaling::kRowUnit : Scaling::kStandard);
  }
}

// Moves the labels of `rows` around among them.
void shuffle_labels(std::vector<int32_t>& labels, const std::vector<int32_t>& rows, uint64_t seed) {
  const Rng rng{seed, Stream::kSplit, 77, 0};
  for (size_t i = rows.size(); i > 1; --i) {
    const auto j = static_cast<size_t>(rng.uniform(i) * static_cast<float>(i));
    std::swap(labels[rows[i - 1]], labels[rows[j]]);
  }
}

std::string model_bytes(const Model& model) {
  const TempFolder folder;
  save_model(model, folder.path("m.glgnn"));
  return bytes_of(folder.path("m.glgnn"));
}

Model fitted(const Problem& problem, const Config& config, int threads = 1) {
  return fit(problem, config, Context{threads}).model;
}

void add_data(Model& model, const Problem& problem) {
  model.labels = problem.labels;
  model.features = *problem.features;
  for (int64_t f = 0; f < problem.features->cols(); ++f) {
    model.feature_names.push_back("f" + std::to_string(f));
  }
  for (int64_t c = 0; c < problem.classes; ++c) {
    model.class_names.push_back("c" + std::to_string(c));
  }
}

class BothModes : public ::testing::TestWithParam<std::tuple<Set, Mode>> {
 protected:
  BothModes() {
    make_set(table_, std::get<0>(GetParam()));
    prepare(table_, mode_);
  }
  const Mode mode_ = std::get<1>(GetParam());
  const Config config_ = settings_of(mode_);
  Table table_;
};

INSTANTIATE_TEST_SUITE_P(Sets, BothModes,
                         ::testing::Combine(::testing::Values(Set::kWine, Set::kPixels,
                                                              Set::kDocumentsWithGraph),
                                            ::testing::Values(Mode::kPaper, Mode::kBest)));

TEST_P(BothModes, LabelsOutsideTrainingAndValidationAreNotRead) {
  const std::string before = model_bytes(fitted(table_.problem, config_));
  const std::vector<int32_t> hidden = table_.hidden_rows();
  for (const int32_t i : hidden) {
    table_.labels[i] =
        (table_.labels[i] + 1 + i % 2) % static_cast<int32_t>(table_.problem.classes);
  }
  table_.reveal();
  EXPECT_EQ(before, model_bytes(fitted(table_.problem, config_))) << "through reveal_labels";
  table_.problem.labels = table_.labels;
  EXPECT_EQ(before, model_bytes(fitted(table_.problem, config_))) << "shown to fit()";
}

TEST_P(BothModes, LabelsThatMeanNothingGiveChance) {
  constexpr int kSeeds = 6;
  std::vector<int32_t> rows(table_.labels.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<double> count(table_.problem.classes, 0.0);
  for (const int32_t label : table_.labels) count[label] += 1;
  const double chance =
      *std::max_element(count.begin(), count.end()) / static_cast<double>(rows.size());
  double sum = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    shuffle_labels(table_.labels, rows, static_cast<uint64_t>(seed));
    table_.reveal();
    sum += table_.hidden_accuracy(fitted(table_.problem, config_).probabilities);
  }
  // One run on a hundred rows and clusters of rows that are wrong together is off by 0.07.
  EXPECT_LT(sum / kSeeds, chance + 0.1);
  EXPECT_GT(sum / kSeeds, 0.15);
}

TEST_P(BothModes, TheSameTwiceAndForAnyNumberOfThreads) {
  const std::string one = model_bytes(fitted(table_.problem, config_));
  EXPECT_EQ(one, model_bytes(fitted(table_.problem, config_))) << "again";
  for (const int threads : {2, 3}) {
    EXPECT_EQ(one, model_bytes(fitted(table_.problem, config_, threads))) << threads << " threads";
  }
}

class BestTrainer : public ::testing::TestWithParam<Set> {
 protected:
  BestTrainer() { make_set(table_, GetParam()); }
  int64_t planned() const { return planned_epochs(table_.problem, config_); }
  Config config_ = settings_of(Mode::kBest);
  Table table_;
  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Sets, BestTrainer,
                         ::testing::Values(Set::kWine, Set::kPixels, Set::kDocumentsWithGraph));

TEST_P(BestTrainer, Learns) {
  Model model = fitted(table_.problem, config_);
  add_data(model, table_.problem);
  EXPECT_TRUE(test::is_probabilities(model.probabilities));
  EXPECT_GT(table_.hidden_accuracy(model.probabilities), 0.85);
  EXPECT_EQ(static_cast<int64_t>(model.history.size()), planned());
  EXPECT_EQ(model.best_epoch, planned());
  for (const FittedModule& module : model.modules) EXPECT_FALSE(module.note.empty());
  const std::vector<double> weights = module_weights(model);
  EXPECT_EQ(weights.size(), 10u);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6);
  const std::vector<double> features = feature_weights(model);
  EXPECT_EQ(static_cast<int64_t>(features.size()), table_.features.cols());
  EXPECT_EQ(*std::max_element(features.begin(), features.end()), 1.0);
}

TEST_P(BestTrainer, AResumedRunEqualsAnUninterruptedOne) {
  const std::string whole = model_bytes(fitted(table_.problem, config_));
  for (const int threads : {1, 2}) {
    for (const int64_t stop : {int64_t{1}, planned() / 2, planned() - 1}) {
      FitOptions options;
      options.checkpoint = folder_.path("run.checkpoint");
      options.on_epoch = [&](const EpochReport& report) { return report.epoch < stop; };
      EXPECT_TRUE(fit(table_.problem, config_, Context{threads}, options).interrupted);
      options.resume = true;
      std::vector<int64_t> reported;
      options.on_epoch = [&](const EpochReport& report) {
        reported.push_back(report.epoch);
        return true;
      };
      const FitResult resumed = fit(table_.problem, config_, Context{threads}, options);
      EXPECT_FALSE(resumed.interrupted);
      EXPECT_EQ(whole, model_bytes(resumed.model)) << "stopped after " << stop;
      std::vector<int64_t> all(planned());
      std::iota(all.begin(), all.end(), 1);
      EXPECT_EQ(reported, all) << "every module once, and the network of graphs";
    }
  }
}

TEST_P(BestTrainer, StoppedAtTheLastLineItIsDone) {
  FitOptions options;
  options.checkpoint = folder_.path("run.checkpoint");
  options.on_epoch = [&](const EpochReport& report) { return report.epoch < report.epochs; };
  const FitResult result = fit(table_.problem, config_, Context{1}, options);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(model_bytes(result.model), model_bytes(fitted(table_.problem, config_)));
}

TEST_P(BestTrainer, ACheckpointOfOtherSettingsDataOrModeIsRefused) {
  FitOptions options;
  options.checkpoint = folder_.path("run.checkpoint");
  options.on_epoch = [](const EpochReport&) { return false; };
  fit(table_.problem, config_, Context{1}, options);
  options.resume = true;
  const auto error = [&](const Config& config) {
    return folder_.error_of(ErrorKind::kUsage,
                            [&] { fit(table_.problem, config, Context{1}, options); });
  };
  Config other = config_;
  other.members = 3;
  EXPECT_NE(error(other).find("found members = 0, expected 3"), std::string::npos);
  other = settings_of(Mode::kPaper);
  EXPECT_NE(error(other).find("found mode = best, expected paper"), std::string::npos);
  table_.labels[table_.problem.train[0]] ^= 1;
  table_.reveal();
  EXPECT_NE(error(config_).find("was made from other data"), std::string::npos);
}

TEST_P(BestTrainer, AnErrorInTheCallbackComesOut) {
  FitOptions options;
  options.on_epoch = [](const EpochReport& report) -> bool {
    if (report.epoch == 3) throw Error(ErrorKind::kIo, "disk full");
    return true;
  };
  for (const int threads : {1, 3}) {
    EXPECT_EQ(folder_.error_of(ErrorKind::kIo,
                               [&] { fit(table_.problem, config_, Context{threads}, options); }),
              "disk full");
  }
}

TEST_P(BestTrainer, TheModelFileHoldsItsModules) {
  Model model = fitted(table_.problem, config_);
  add_data(model, table_.problem);
  save_model(model, folder_.path("m.glgnn"));
  const Model back = load_model(folder_.path("m.glgnn"));
  EXPECT_EQ(back.config.mode, Mode::kBest);
  EXPECT_EQ(back.modules.back().note, model.modules.back().note);
  Model without = model;
  without.views = nullptr;
  save_model(without, folder_.path("without.glgnn"));
  EXPECT_THROW(load_model(folder_.path("without.glgnn")), Error) << "modules read views";
  EXPECT_TRUE(test::same_bits(back.probabilities, model.probabilities));
  EXPECT_EQ(model_bytes(back), model_bytes(model));
}

TEST_P(BestTrainer, WithoutValidationRowsAllModulesCount) {
  table_.problem.val.clear();
  table_.reveal();
  Model model = fitted(table_.problem, config_);
  EXPECT_TRUE(test::is_probabilities(model.probabilities));
  EXPECT_EQ(static_cast<int64_t>(model.modules.size()), planned() - 1);
  add_data(model, table_.problem);
  save_model(model, folder_.path("m.glgnn"));
  EXPECT_NO_THROW(load_model(folder_.path("m.glgnn")));
  EXPECT_GT(table_.hidden_accuracy(model.probabilities), 0.75);
}

TEST_P(BestTrainer, EveryPartCanBeLeftOut) {
  for (const char* part :
       {"spread_heads", "prototype_heads", "gnn_heads", "landmark_heads", "votes", "edge_trust",
        "class_mixing", "propagation", "second_round", "label_links", "feature_weights", "teacher",
        "consistency", "class_mass", "averaging"}) {
    Config config = config_;
    config.epochs = 3;
    set_setting(config, part, "false");
    const Model model = fitted(table_.problem, config);
    EXPECT_TRUE(test::is_probabilities(model.probabilities)) << part;
  }
  Config nothing = config_;
  nothing.spread_heads = nothing.prototype_heads = nothing.gnn_heads = false;
  nothing.landmark_heads = false;
  EXPECT_NE(folder_.error_of(ErrorKind::kUsage, [&] { fitted(table_.problem, nothing); })
                .find("leave out every module"),
            std::string::npos);
}

// Strange tables: numbers must stay numbers, and what is easy must be found.
class StrangeTable : public ::testing::Test {
 protected:
  Model fitted_table(int64_t train_per_class = 1, int64_t val_per_class = 1) {
    table_.split(train_per_class, val_per_class);
    Config config = settings_of(Mode::kBest);
    config.epochs = 10;
    Model model = fitted(table_.problem, config);
    add_data(model, table_.problem);
    EXPECT_TRUE(test::is_probabilities(model.probabilities));
    for (const double weight : feature_weights(model)) EXPECT_TRUE(std::isfinite(weight));
    for (const FittedModule& module : model.modules) expect_finite(module.graph.values);
    expect_finite(model.fused_graph.values);
    return model;
  }
  static void expect_finite(const std::vector<float>& values) {
    for (const float value : values) ASSERT_TRUE(std::isfinite(value));
  }
  Table table_;
};

TEST_F(StrangeTable, ThreeRows) {
  table_.features = test::dense_features({{0, 1}, {5, 1}, {4, 1}});
  table_.labels = {0, 1, 1};
  const Model model = fitted_table(1, 0);
  EXPECT_EQ(predicted_classes(model.probabilities)[2], 1);
}

TEST_F(StrangeTable, TwoClassesWithOneLabelEach) {
  test::make_blobs(table_, 60, 3, 2, 5);
  EXPECT_GT(table_.hidden_accuracy(fitted_table(1, 0).probabilities), 0.9);
}

TEST_F(StrangeTable, AllColumnsConstantButOne) {
  test::make_blobs(table_, 40, 6, 2, 0);
  for (int64_t i = 0; i < 40; ++i) {
    for (int64_t f = 1; f < 6; ++f) table_.features.dense[i][f] = static_cast<float>(f) * 1e5f;
    table_.features.dense[i][0] += 8 * static_cast<float>(table_.labels[i]);
  }
  const Model model = fitted_table(3, 3);
  EXPECT_GT(table_.hidden_accuracy(model.probabilities), 0.9);
  EXPECT_EQ(feature_weights(model)[0], 1.0);
}

TEST_F(StrangeTable, AllColumnsConstant) {
  test::make_blobs(table_, 30, 4, 3, 0);
  table_.features.dense.fill(3.0f);
  fitted_table(2, 2);
}

TEST_F(StrangeTable, HugeAndTinyScales) {
  test::make_blobs(table_, 60, 6, 2, 4);
  const float scales[] = {1e30f, 1e-30f, 1, 1e15f, 1e-15f, 1e6f};
  for (int64_t i = 0; i < 60; ++i) {
    for (int64_t f = 0; f < 6; ++f) table_.features.dense[i][f] *= scales[f];
  }
  EXPECT_GT(table_.hidden_accuracy(fitted_table(3, 3).probabilities), 0.9);
}

TEST_F(StrangeTable, AnOutlierIsOneRow) {
  test::make_blobs(table_, 60, 4, 2, 5);
  table_.features.dense[59][0] = 1e20f;
  EXPECT_GT(table_.hidden_accuracy(fitted_table(3, 3).probabilities), 0.9);
}

TEST_F(StrangeTable, RepeatedRowsAndColumns) {
  test::make_blobs(table_, 60, 6, 2, 4);
  for (int64_t i = 0; i < 60; ++i) {
    float* row = table_.features.dense[i];
    std::copy_n(table_.features.dense[i % 4], 3, row);
    std::copy_n(row, 3, row + 3);
  }
  EXPECT_GT(table_.hidden_accuracy(fitted_table(2, 2).probabilities), 0.9);
}

TEST_F(StrangeTable, MoreColumnsThanRows) {
  test::make_blobs(table_, 30, 90, 3, 1.5f);
  EXPECT_GT(table_.hidden_accuracy(fitted_table(2, 2).probabilities), 0.8);
}

TEST_F(StrangeTable, AClassThatNoRowTrains) {
  test::make_blobs(table_, 60, 4, 3, 4);
  table_.split(2, 2);
  std::erase_if(table_.problem.train, [&](int32_t i) { return table_.labels[i] == 2; });
  table_.reveal();
  EXPECT_TRUE(
      test::is_probabilities(fitted(table_.problem, settings_of(Mode::kBest)).probabilities));
}

TEST_F(StrangeTable, DocumentsWithoutAWord) {
  test::make_documents(table_, 60, 3, 6);
  auto rows = std::vector<std::vector<float>>(60, std::vector<float>(60, 0.0f));
  Features dense = table_.features;
  make_dense(dense);
  for (int64_t i = 0; i < 60; ++i) {
    if (i % 10 != 9) std::copy_n(dense.dense[i], 60, rows[i].begin());
  }
  table_.features = test::sparse_features(rows);
  fitted_table(3, 3);
}

TEST_F(StrangeTable, DocumentsAsADenseTable) {
  test::make_documents(table_, 60, 3, 6);
  make_dense(table_.features);
  EXPECT_GT(table_.hidden_accuracy(fitted_table(3, 3).probabilities), 0.8);
}

// Few columns, or many that are not rare: sparse, but no text.
TEST_F(StrangeTable, SparseFeaturesOfATable) {
  const Rng rng{5, Stream::kInit, 0, 0};
  for (const int64_t cols : {12, 60}) {
    std::vector<std::vector<float>> rows(60, std::vector<float>(cols, 0.0f));
    table_.labels.clear();
    for (int64_t i = 0; i < 60; ++i) {
      table_.labels.push_back(static_cast<int32_t>(i % 3));
      const int64_t third = cols / 3;
      for (int64_t f = 0; f < third; ++f) {
        rows[i][(i % 3) * third + f] = rng.uniform(i * cols + f) < 0.55f ? 1.0f : 0.0f;
      }
    }
    table_.features = test::sparse_features(rows);
    EXPECT_GT(table_.hidden_accuracy(fitted_table(3, 3).probabilities), 0.9) << cols;
  }
}

TEST_F(StrangeTable, ManySparseColumnsOfBothSigns) {
  test::make_documents(table_, 45, 3, 6);
  auto wide = std::make_shared<Pattern>(*table_.features.sparse.pattern);
  wide->cols = 5000;
  table_.features.sparse.pattern = wide;
  for (size_t e = 0; e < table_.features.sparse.values.size(); e += 7) {
    table_.features.sparse.values[e] *= -1;
  }
  fitted_table(3, 3);
}

TEST_F(StrangeTable, OneWordInAllDocuments) {
  test::make_documents(table_, 30, 3, 6);
  std::vector<std::vector<float>> rows(30, std::vector<float>(60, 0.0f));
  for (auto& row : rows) row[7] = 1;
  table_.features = test::sparse_features(rows);
  fitted_table(2, 2);
}

// Every module has the given edges among its own, and mixing says something over each of them.
TEST(BestMemory, GrowsWithTheGivenGraph) {
  Table table;
  test::make_documents(table, 120, 3, 6, 0.6f);
  test::make_class_graph(table);
  for (const Mode mode : {Mode::kBest, Mode::kPaper}) {
    const Config config = settings_of(mode);
    const int64_t without = estimate_memory(table.features, nullptr, 3, config);
    const int64_t with = estimate_memory(table.features, &table.graph, 3, config);
    EXPECT_GE(with - without, (mode == Mode::kBest ? 150 : 16) * table.graph.nnz());
  }
}

}  // namespace
}  // namespace glgnn
