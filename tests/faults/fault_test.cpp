// Every n-th allocation, write, sync and rename fails once in turn, while a model is fitted, saved,
// read, applied, explained, reported and its graph written. Each time either an exception comes
// that says so, or all is as if nothing had failed; files are old or new; and the next try
// succeeds.
//
// By default n makes large steps, so that this takes seconds; GLGNN_ALL_FAULTS=1 takes every n
// (`make faults`).
#include <glgnn/error.h>
#include <glgnn/glgnn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>

#include "core/rows.h"
#include "faults.h"
#include "report/page.h"
#include "report/text_file.h"
#include "start.h"
#include "unit/data_test_util.h"
#include "unit/toy.h"

namespace glgnn {
namespace {

using faults::Fault;
using faults::Injected;

bool takes_all() { return std::getenv("GLGNN_ALL_FAULTS") != nullptr; }

// What an operation leaves, as bytes that must not change.
using Operation = std::function<std::string()>;

class FaultTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model() = fitted(Mode::kBest, "", 1); }
  static void TearDownTestSuite() { model() = {}; }
  static Model& model() {
    static Model made;
    return made;
  }

  // A few modules of each kind of head, so that a run is short.
  static Model fitted(Mode mode, const std::string& checkpoint, int threads) {
    const test::Toy toy(30, 4);
    Dataset data;
    data.name = "toy";
    data.features = toy.features;
    data.class_names = {"x", "y", "z"};
    data.feature_names = {"a", "b", "c", "d"};
    data.labels = toy.problem.labels;
    const Split split{.train = toy.problem.train, .val = toy.problem.val, .test = {}};
    Config config = test::Toy::config();
    config.mode = mode;
    config.epochs = 2;
    config.members = 3;
    if (!checkpoint.empty()) {  // few modules: each is a file that is synced
      config.prototype_heads = config.gnn_heads = config.landmark_heads = false;
    }
    FitOptions options;
    options.checkpoint = checkpoint;
    options.checkpoint_seconds = 0;
    return fit_dataset(data, split, config, Context{threads}, options).model;
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string bytes_of_model(const Model& fresh) const {
    save_model(fresh, path("fresh.glgnn"));
    return bytes_of(path("fresh.glgnn"));
  }

  // The names of all files, but for those that a test has put there.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // `most`: how many n of all are tried in the short form.
  void fail_in_turn(Fault fault, const Operation& operation, int64_t most) {
    const std::string wanted = operation();
    const std::vector<std::string> before = files();
    int64_t all = 0;
    {
      const Injected counted(fault, 0);
      EXPECT_EQ(operation(), wanted);
      all = counted.operations();
    }
    ASSERT_GT(all, 0);
    const int64_t step = takes_all() ? 1 : std::max<int64_t>(1, all / most);
    int64_t failed = 0, tried = 0;
    for (int64_t n = 1; n <= all; n += step, ++tried) {
      const bool all_after = n % 2 == 0 && fault != Fault::kAllocation;
      std::string found;
      try {
        const Injected injected(fault, n, all_after);
        found = operation();
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(fault, Fault::kAllocation);
        ++failed;
        continue;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), fault == Fault::kAllocation ? ErrorKind::kData : ErrorKind::kIo)
            << error.what();
        ++failed;
        continue;
      }
      EXPECT_EQ(found, wanted) << "operation " << n << " of " << all << " failed, and nobody said";
    }
    std::printf("  %lld of %lld failed in turn, %lld were told\n", static_cast<long long>(tried),
                static_cast<long long>(all), static_cast<long long>(failed));
    EXPECT_GT(failed, 0);
    EXPECT_EQ(operation(), wanted);
    EXPECT_EQ(files(), before) << "something was left behind";
  }

  TempFolder folder_;
};

// Of each run the checkpoint is removed, so that the next begins anew.
TEST_F(FaultTest, AllocationsOfBestMode) {
  for (const int threads : {1, 2}) {
    fail_in_turn(
        Fault::kAllocation, [&] { return bytes_of_model(fitted(Mode::kBest, "", threads)); }, 12);
  }
}

TEST_F(FaultTest, AllocationsOfPaperMode) {
  fail_in_turn(
      Fault::kAllocation, [&] { return bytes_of_model(fitted(Mode::kPaper, "", 1)); }, 40);
}

TEST_F(FaultTest, AllocationsOfSaving) {
  const auto save = [&] {
    save_model(model(), path("m.glgnn"));
    return bytes_of(path("m.glgnn"));
  };
  fail_in_turn(Fault::kAllocation, save, 60);
}

TEST_F(FaultTest, AllocationsOfReading) {
  save_model(model(), path("m.glgnn"));
  const auto read = [&] { return bytes_of_model(load_model(path("m.glgnn"))); };
  fail_in_turn(Fault::kAllocation, read, 100);
}

std::string text_of(const Matrix& p) {
  return {reinterpret_cast<const char*>(p.data()), sizeof(float) * static_cast<size_t>(p.size())};
}

TEST_F(FaultTest, AllocationsOfPredicting) {
  for (const int threads : {1, 2}) {
    const auto predict = [&] {
      const NewRowPredictor predictor(model(), Context{threads});
      return text_of(predictor.predict(rows_of(model().features, 0, 20)).probabilities);
    };
    fail_in_turn(Fault::kAllocation, predict, 100);
  }
}

TEST_F(FaultTest, AllocationsOfExplaining) {
  const auto explain = [&] {
    const Explanation found = Explainer(model(), Context{1}).explain(7);
    std::string text = std::to_string(found.predicted) + " " + std::to_string(found.fidelity_plus);
    for (const auto& feature : found.features) text += " " + std::to_string(feature.weight);
    return text;
  };
  fail_in_turn(Fault::kAllocation, explain, 40);
}

// The JSON library asks for memory when it destroys, where no exception can be thrown: then the
// process ends, and the program says why (docs/reliability.md). Each n has a process of its own.
TEST_F(FaultTest, AllocationsOfTheReport) {
  if (!has_page()) GTEST_SKIP() << "built without the page";
  constexpr int kOther = 99;
  const int told = exit_status(ErrorKind::kData);
  const std::string wanted = report_page(model(), Context{1});
  const Injected counted(Fault::kAllocation, 0);
  report_page(model(), Context{1});
  const int64_t all = counted.operations(), step = takes_all() ? 1 : all / 60;
  int64_t tried = 0, failed = 0;
  for (int64_t n = 1; n <= all; n += step, ++tried) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("OMP_WAIT_POLICY", "passive", 1);  // else the program would begin anew
      if (!std::freopen("/dev/null", "w", stderr)) ::_exit(kOther);
      ::_exit(cli::run_guarded(nullptr, [&] {
        const Injected injected(Fault::kAllocation, n);
        return report_page(model(), Context{1}) == wanted ? 0 : kOther;
      }));
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "allocation " << n << ": signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == 0) continue;
    EXPECT_EQ(WEXITSTATUS(status), told) << "allocation " << n;
    ++failed;
  }
  std::printf("  %lld of %lld failed in turn, %lld were told\n", static_cast<long long>(tried),
              static_cast<long long>(all), static_cast<long long>(failed));
  EXPECT_GT(failed, 0);
}

TEST_F(FaultTest, AllocationsOfAGraphFile) {
  for (const GraphFormat format :
       {GraphFormat::kCsv, GraphFormat::kGraphml, GraphFormat::kGexf, GraphFormat::kNpz}) {
    const auto write = [&] {
      write_graph(model(), format, path("graph"));
      return format == GraphFormat::kNpz ? std::string() : bytes_of(path("graph"));
    };
    fail_in_turn(Fault::kAllocation, write, 40);
  }
}

TEST_F(FaultTest, AllocationsOfReadingATable) {
  std::string text = "id,size,colour,kind\n";
  for (int i = 0; i < 40; ++i) {
    text += "r" + std::to_string(i) + "," + std::to_string(i * 7 % 13) + ".5," +
            (i % 3 ? "red" : "green") + "," + (i % 2 ? "apple" : "pear") + "\n";
  }
  folder_.write("t.csv", text);
  const auto read = [&] {
    const Dataset data = load_dataset(path("t.csv"), {.label = "kind"});
    return text_of(data.features.dense) + data.class_names.front();
  };
  fail_in_turn(Fault::kAllocation, read, 100);
}

class FileFaults : public FaultTest, public ::testing::WithParamInterface<Fault> {
 protected:
  // An old file must be there, whole, after every failure.
  void fail_over_an_old_file(const std::function<void(const std::string&)>& write) {
    const std::string target = path("file"), old = "what was there before";
    const auto operation = [&] {
      folder_.write("file", old);
      try {
        write(target);
      } catch (...) {
        EXPECT_EQ(bytes_of(target), old);
        throw;
      }
      return bytes_of(target);
    };
    fail_in_turn(GetParam(), operation, 1000);
  }
};

TEST_P(FileFaults, OfAModel) {
  fail_over_an_old_file([&](const std::string& target) { save_model(model(), target); });
}

TEST_P(FileFaults, OfAReport) {
  if (!has_page()) GTEST_SKIP() << "built without the page";
  const std::string page = report_page(model(), Context{1});
  fail_over_an_old_file([&](const std::string& target) { write_text_file(target, page); });
}

TEST_P(FileFaults, OfAGraph) {
  for (const GraphFormat format : {GraphFormat::kCsv, GraphFormat::kGexf}) {
    fail_over_an_old_file([&](const std::string& target) { write_graph(model(), format, target); });
  }
}

// The checkpoint that was there stays, and a resumed run gives the same bits.
TEST_P(FileFaults, OfCheckpoints) {
  for (const Mode mode : {Mode::kBest, Mode::kPaper}) {
    const auto fit = [&] {
      const Model made = fitted(mode, path("m.checkpoint"), 1);
      std::filesystem::remove(path("m.checkpoint"));
      return bytes_of_model(made);
    };
    const auto fit_without_left_overs = [&] {
      try {
        return fit();
      } catch (...) {
        std::filesystem::remove(path("m.checkpoint"));
        throw;
      }
    };
    fail_in_turn(GetParam(), fit_without_left_overs, 6);
  }
}

std::string name_of(const ::testing::TestParamInfo<Fault>& tested) {
  return tested.param == Fault::kWrite ? "Write" : tested.param == Fault::kSync ? "Sync" : "Rename";
}

INSTANTIATE_TEST_SUITE_P(, FileFaults,
                         ::testing::Values(Fault::kWrite, Fault::kSync, Fault::kRename), name_of);

TEST_F(FaultTest, ShortWritesAreGoneOnWith) {
  save_model(model(), path("whole"));
  {
    const faults::ShortWrites writes;
    save_model(model(), path("pieces"));
  }
  EXPECT_EQ(bytes_of(path("pieces")), bytes_of(path("whole")));
}

}  // namespace
}  // namespace glgnn
