#include <glgnn/error.h>
#include <glgnn/trainer.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/archive.h"
#include "toy.h"

namespace glgnn {
namespace {

using test::Toy;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class TrainerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("glgnn_trainer_" + std::to_string(::getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string model_bytes(const Model& model) const {
    save_model(model, path("model.glgnn"));
    return bytes_of(path("model.glgnn"));
  }

  std::filesystem::path folder_;
};

TEST_F(TrainerTest, LearnsAnEasyProblem) {
  Toy toy;
  Config config = Toy::config();
  config.epochs = 60;
  const Model model = fit(toy.problem, config, Context{1}).model;
  std::vector<int32_t> hidden;
  for (int32_t i = 27; i < 60; ++i) hidden.push_back(i);
  EXPECT_GT(accuracy(model.probabilities, toy.labels, hidden), 0.8);
  EXPECT_LT(model.history.back().loss_entropy, model.history.front().loss_entropy / 2);
}

TEST_F(TrainerTest, SameBitsForAnyNumberOfThreads) {
  for (const bool sparse : {false, true}) {
    Toy toy(60, 7, sparse);
    for (const Rescale rescale : {Rescale::kNone, Rescale::kSumK}) {
      Config config = Toy::config();
      config.rescale = rescale;
      const std::string one = model_bytes(fit(toy.problem, config, Context{1}).model);
      for (const int threads : {2, 3}) {
        EXPECT_EQ(one, model_bytes(fit(toy.problem, config, Context{threads}).model));
      }
    }
  }
}

TEST_F(TrainerTest, AResumedRunEqualsAnUninterruptedOne) {
  for (const bool known : {false, true}) {
    Toy toy(60, 7, false, known);
    Config config = Toy::config();
    config.epochs = 9;
    config.refresh = 2;
    config.aggregation = Aggregation::kPrevious;
    const std::string whole = model_bytes(fit(toy.problem, config, Context{1}).model);
    for (const int64_t stop : {1, 4, 8}) {
      FitOptions options;
      options.checkpoint = path("run.checkpoint");
      options.on_epoch = [&](const EpochReport& report) { return report.epoch < stop; };
      EXPECT_TRUE(fit(toy.problem, config, Context{1}, options).interrupted);
      options.resume = true;
      options.on_epoch = nullptr;
      const FitResult resumed = fit(toy.problem, config, Context{1}, options);
      EXPECT_FALSE(resumed.interrupted);
      EXPECT_EQ(whole, model_bytes(resumed.model)) << "stopped after " << stop;
    }
  }
}

TEST_F(TrainerTest, ACheckpointOfOtherSettingsOrDataIsRefused) {
  Toy toy;
  Config config = Toy::config();
  FitOptions options;
  options.checkpoint = path("run.checkpoint");
  fit(toy.problem, config, Context{1}, options);
  options.resume = true;
  const auto error = [&](const Problem& problem, const Config& changed) -> std::string {
    try {
      fit(problem, changed, Context{1}, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      return e.what();
    }
    return "no error";
  };
  Config other = config;
  other.k = 4;
  EXPECT_NE(error(toy.problem, other).find("found k = 5, expected 4"), std::string::npos);
  Toy changed;
  changed.features.dense[3][3] += 1;
  EXPECT_NE(error(changed.problem, config).find("was made from other data"), std::string::npos);
  options.checkpoint = path("none.checkpoint");
  EXPECT_THROW(fit(toy.problem, config, Context{1}, options), Error);
}

// Labels that no column tells anything of: the epoch is chosen by luck, the estimate is not.
TEST_F(TrainerTest, NoiseIsWorthNoMoreThanGuessesThoughValidationSaysSo) {
  constexpr int kTables = 30;
  double estimated = 0, validated = 0, baseline = 0;
  for (int t = 0; t < kTables; ++t) {
    Toy toy;
    const Rng rng{static_cast<uint64_t>(t), Stream::kModules, 0, 0};
    for (int64_t i = 0; i < 60; ++i) toy.labels[i] = rng.uniform(i) < 0.5f ? 0 : 1;
    for (int64_t e = 0; e < toy.features.dense.size(); ++e) {
      toy.features.dense.data()[e] = rng.normal(100 + e);
    }
    toy.problem.classes = 2;
    for (int32_t i = 27; i < 32; ++i) toy.problem.val.push_back(i);
    toy.problem.labels = toy.labels;
    Config config = Toy::config();
    config.epochs = 60;
    const Model model = fit(toy.problem, config, Context{1}).model;
    EXPECT_EQ(model.estimate.rows, 20);
    EXPECT_LT(model.estimate.low, 0.5);
    estimated += model.estimate.accuracy / kTables;
    baseline += model.estimate.baseline / kTables;
    validated += model.history[model.best_epoch - 1].val_accuracy / kTables;
  }
  EXPECT_GT(validated, estimated + 0.06);
  EXPECT_NEAR(estimated, 0.5, 0.05);
  EXPECT_NEAR(baseline, 0.5, 0.06);
}

TEST_F(TrainerTest, WithoutValidationThereIsNoEstimate) {
  Toy toy;
  EXPECT_EQ(fit(toy.problem, Toy::config(), Context{1}).model.estimate.rows, 15);
  toy.problem.val.clear();
  EXPECT_EQ(fit(toy.problem, Toy::config(), Context{1}).model.estimate.rows, 0);
}

TEST_F(TrainerTest, TheBestEpochByValidationIsKept) {
  Toy toy;
  Config config = Toy::config();
  config.epochs = 30;
  const Model model = fit(toy.problem, config, Context{1}).model;
  const EpochReport& best = model.history[model.best_epoch - 1];
  for (const EpochReport& report : model.history) {
    EXPECT_LE(report.val_accuracy, best.val_accuracy);
    if (report.val_accuracy == best.val_accuracy) {
      EXPECT_LE(report.epoch, model.best_epoch);
    }
  }
  EXPECT_EQ(accuracy(model.probabilities, toy.labels, toy.problem.val), best.val_accuracy);
}

TEST_F(TrainerTest, HiddenLabelsCannotReachTraining) {
  Toy toy;
  for (int32_t i = 27; i < 60; ++i) EXPECT_EQ(toy.problem.labels[i], -1);
  const std::string before = model_bytes(fit(toy.problem, Toy::config(), Context{1}).model);
  for (int32_t i = 27; i < 60; ++i) toy.problem.labels[i] = (toy.labels[i] + 1) % 3;
  EXPECT_EQ(before, model_bytes(fit(toy.problem, Toy::config(), Context{1}).model));
}

TEST_F(TrainerTest, FusedGraphRowsSumToOneOverTheUnion) {
  Toy toy;
  Config config = Toy::config();
  config.symmetrise = Symmetrise::kNone;  // k neighbours of each row in each of three graphs
  const Model model = fit(toy.problem, config, Context{1}).model;
  const Csr& fused = model.fused_graph;
  for (int64_t i = 0; i < fused.rows(); ++i) {
    double sum = 0;
    for (int64_t e = fused.pattern->row_ptr[i]; e < fused.pattern->row_ptr[i + 1]; ++e) {
      sum += fused.values[e];
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_GE(fused.pattern->view().row_size(i), 6);
    EXPECT_LE(fused.pattern->view().row_size(i), 16);
  }
}

std::string refusal(const Problem& problem, const Config& config, ErrorKind kind) {
  try {
    fit(problem, config, Context{1});
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    return e.what();
  }
  return "no error";
}

TEST_F(TrainerTest, RefusesWhatCannotBeTrained) {
  Toy toy;
  Config config = Toy::config();
  config.k = 60;
  EXPECT_EQ(refusal(toy.problem, config, ErrorKind::kUsage),
            "k does not fit the data: found k = 60, expected 1 to 59 for 60 rows; set a smaller k");
  Problem no_labels = toy.problem;
  no_labels.train.clear();
  EXPECT_NE(refusal(no_labels, Toy::config(), ErrorKind::kData).find("no labelled row"),
            std::string::npos);
  Problem one_class = toy.problem;
  one_class.classes = 1;
  EXPECT_NE(refusal(one_class, Toy::config(), ErrorKind::kData).find("too few classes"),
            std::string::npos);
  Problem unlabelled = toy.problem;
  unlabelled.train.push_back(50);
  EXPECT_NE(refusal(unlabelled, Toy::config(), ErrorKind::kData).find("row 50"), std::string::npos);
  Toy tiny(2);
  EXPECT_NE(refusal(tiny.problem, Toy::config(), ErrorKind::kData).find("too few rows"),
            std::string::npos);
}

TEST_F(TrainerTest, BrokenNumbersAreSaid) {
  Toy toy;
  toy.features.dense[0][0] = 3e30f;
  EXPECT_NE(refusal(toy.problem, Toy::config(), ErrorKind::kData).find("training broke down"),
            std::string::npos);
}

class ModelFileTest : public TrainerTest {
 protected:
  void SetUp() override {
    TrainerTest::SetUp();
    Toy toy;
    model_ = fit(toy.problem, Toy::config(), Context{1}).model;
    model_.dataset = "toy";
    model_.feature_names = {"a", "b", "c", "d", "e", "f", "g"};
    model_.class_names = {"x", "y", "z"};
    model_.labels = toy.problem.labels;
    model_.features = *toy.problem.features;
    save_model(model_, path("m.glgnn"));
    bytes_ = bytes_of(path("m.glgnn"));
  }

  std::string load_error(const std::string& bytes, ErrorKind kind = ErrorKind::kData) const {
    std::ofstream(path("bad.glgnn"), std::ios::binary) << bytes;
    try {
      load_model(path("bad.glgnn"));
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), kind);
      return e.what();
    }
    return "no error";
  }

  Model model_;
  std::string bytes_;
};

TEST_F(ModelFileTest, ComesBackWhole) {
  const Model back = load_model(path("m.glgnn"));
  EXPECT_EQ(back.dataset, "toy");
  EXPECT_EQ(back.feature_names, model_.feature_names);
  EXPECT_EQ(back.history.size(), model_.history.size());
  EXPECT_EQ(get_setting(back.config, "k"), "5");
  save_model(back, path("again.glgnn"));
  EXPECT_EQ(bytes_, bytes_of(path("again.glgnn")));
}

TEST_F(ModelFileTest, EveryFlippedBitIsFound) {
  for (size_t at = 0; at < bytes_.size(); at += 1 + bytes_.size() / 300) {
    std::string flipped = bytes_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    EXPECT_NE(load_error(flipped), "no error") << "byte " << at;
  }
}

TEST_F(ModelFileTest, EveryTruncationIsFound) {
  for (size_t size = 0; size < bytes_.size(); size += 1 + bytes_.size() / 200) {
    EXPECT_NE(load_error(bytes_.substr(0, size)), "no error") << size << " bytes";
  }
}

TEST_F(ModelFileTest, SaysWhatIsWrong) {
  EXPECT_NE(load_error("hello").find("is not a file of this program"), std::string::npos);
  std::string other = bytes_;
  other[12] = static_cast<char>(kFileVersion + 1);
  const std::string versions = "found file version " + std::to_string(kFileVersion + 1) +
                               ", expected " + std::to_string(kOldestModel) + " to " +
                               std::to_string(kFileVersion);
  EXPECT_NE(load_error(other).find(versions +
                                   "; fit again, or read it with the later glgnn that wrote it"),
            std::string::npos);
  other[12] = 7;
  EXPECT_NE(load_error(other).find("fit again, or read it with glgnn 0.1"), std::string::npos);
  EXPECT_NE(load_error(bytes_.substr(0, bytes_.size() - 1)).find("is truncated"),
            std::string::npos);
  std::string flipped = bytes_;
  flipped[bytes_.size() / 2] ^= 1;
  EXPECT_NE(load_error(flipped).find("is damaged"), std::string::npos);
  EXPECT_THROW(load_model(path("nowhere.glgnn")), Error);
  EXPECT_THROW(load_model(folder_.string()), Error);
}

TEST_F(ModelFileTest, PartsThatDoNotBelongTogetherAreRefused) {
  const auto refused = [&](const std::function<void(Model&)>& change) {
    Model changed = model_;
    change(changed);
    save_model(changed, path("changed.glgnn"));
    try {
      load_model(path("changed.glgnn"));
    } catch (const Error& e) {
      return std::string(e.what()).find("do not belong together") != std::string::npos;
    }
    return false;
  };
  EXPECT_FALSE(refused([](Model&) {}));
  EXPECT_TRUE(refused([](Model& m) { m.class_names.pop_back(); }));
  EXPECT_TRUE(refused([](Model& m) { m.feature_names.push_back("h"); }));
  EXPECT_TRUE(refused([](Model& m) { m.labels.pop_back(); }));
  EXPECT_TRUE(refused([](Model& m) { m.features = {}; }));
  EXPECT_TRUE(refused([](Model& m) { m.row_ids = {"only one"}; }));
  EXPECT_TRUE(refused([](Model& m) { m.modules.pop_back(); }));
  EXPECT_TRUE(refused([](Model& m) { m.best_epoch = 99; }));
}

TEST_F(ModelFileTest, AFailedSaveLeavesTheOldFile) {
  EXPECT_THROW(save_model(model_, path("no/such/folder/m.glgnn")), Error);
  std::filesystem::create_directory(path("taken"));
  EXPECT_THROW(save_model(model_, path("taken")), Error);
  EXPECT_EQ(bytes_, bytes_of(path("m.glgnn")));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find(".new."), std::string::npos) << entry.path();
  }
}

TEST_F(ModelFileTest, WeightsOfModulesAndFeatures) {
  double sum = 0;
  for (const double w : module_weights(model_)) sum += w;
  EXPECT_NEAR(sum, 1, 1e-9);
  const std::vector<double> features = feature_weights(model_);
  EXPECT_EQ(*std::max_element(features.begin(), features.end()), 1.0);
}

}  // namespace
}  // namespace glgnn
