// The search: the same result however it is run, and what its stages keep.
#include "train/search.h"

#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <set>

#include "best_util.h"
#include "train/pool.h"
#include "train/space.h"

namespace glgnn {
namespace {

using test::Table;

enum class Set { kTable, kDocuments };

void PrintTo(Set set, std::ostream* out) { *out << (set == Set::kTable ? "table" : "documents"); }

class Search : public ::testing::TestWithParam<Set> {
 protected:
  Search() {
    if (GetParam() == Set::kTable) {
      test::make_blobs(table_, 60, 4, 3, 2);
      table_.split(2, 4);
    } else {
      test::make_documents(table_, 90, 3, 6, 0.6f);
      test::make_class_graph(table_);
      table_.split(3, 5, true);
    }
    config_.epochs = 9;
    options_.trials = 12;
  }

  SearchResult run(int threads = 1) const {
    return search_modules(table_.problem, config_, Context{threads}, options_);
  }

  // Stops after so many scores, and puts what was scored into the options.
  void run_until(size_t scores) {
    std::vector<TrialReport> seen;
    options_.on_trial = [&](const TrialReport& report) {
      seen.push_back(report);
      return seen.size() < scores;
    };
    EXPECT_TRUE(run().stopped);
    EXPECT_EQ(seen.size(), scores);
    options_.on_trial = nullptr;
    options_.known = seen;
  }

  Table table_;
  Config config_;
  SearchOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Sets, Search, ::testing::Values(Set::kTable, Set::kDocuments));

void expect_same(const SearchResult& a, const SearchResult& b) {
  EXPECT_TRUE(test::same_bits(a.p, b.p));
  EXPECT_EQ(a.done, b.done);
  EXPECT_EQ(a.score.value(), b.score.value());
  ASSERT_EQ(a.ranking.size(), b.ranking.size());
  for (size_t r = 0; r < a.ranking.size(); ++r) {
    EXPECT_EQ(a.ranking[r].trial, b.ranking[r].trial);
    EXPECT_EQ(a.ranking[r].module, b.ranking[r].module);
    EXPECT_EQ(a.ranking[r].score.value(), b.ranking[r].score.value());
  }
  ASSERT_EQ(a.members.size(), b.members.size());
  for (size_t m = 0; m < a.members.size(); ++m) {
    EXPECT_EQ(a.members[m].trial, b.members[m].trial);
    EXPECT_EQ(a.members[m].weight, b.members[m].weight);
  }
}

TEST_P(Search, JoinsTheBestByValidation) {
  const SearchResult result = run();
  EXPECT_FALSE(result.stopped || result.cut_short);
  EXPECT_EQ(result.done, 12);
  ASSERT_EQ(result.ranking.size(), 12u);
  ASSERT_EQ(result.members.size(), 10u);
  for (size_t r = 1; r < 12; ++r) {
    EXPECT_GE(result.ranking[r - 1].score.value(), result.ranking[r].score.value());
  }
  for (size_t m = 0; m < 10; ++m) EXPECT_EQ(result.members[m].trial, result.ranking[m].trial);
  EXPECT_TRUE(test::is_probabilities(result.p));
  EXPECT_EQ(result.score.value(), validation_score(result.p, table_.problem).value());
  EXPECT_GT(table_.hidden_accuracy(result.p), 0.6);
}

TEST_P(Search, TheSameForAnyNumberOfThreads) {
  for (const bool halving : {false, true}) {
    options_.halving = halving;
    const SearchResult one = run(1);
    expect_same(one, run(1));
    expect_same(one, run(2));
    expect_same(one, run(3));
  }
}

TEST_P(Search, SeesNoLabelOutsideTrainingAndValidation) {
  const SearchResult before = run();
  for (const int32_t i : table_.hidden_rows()) table_.labels[i] = (table_.labels[i] + 1) % 3;
  table_.problem.labels = table_.labels;
  expect_same(before, run());
}

TEST_P(Search, MoreTrialsGoOnWithTheSameList) {
  const SearchResult few = run();
  options_.trials = 20;
  const SearchResult many = run();
  std::map<int64_t, TrialReport> by_trial;
  for (const TrialReport& report : many.ranking) by_trial[report.trial] = report;
  EXPECT_EQ(by_trial.size(), 20u);
  for (const TrialReport& report : few.ranking) {
    ASSERT_TRUE(by_trial.contains(report.trial));
    EXPECT_EQ(report.score.value(), by_trial[report.trial].score.value());
  }
  options_.known = few.ranking;
  int scored = 0;
  options_.on_trial = [&](const TrialReport&) { return ++scored > 0; };
  expect_same(many, run());
  EXPECT_EQ(scored, 8);
}

TEST_P(Search, HalvingKeepsAThirdOfTheTrainedHeads) {
  options_.halving = true;
  options_.trials = 20;
  std::vector<TrialReport> of_short;
  std::set<int64_t> full;
  options_.on_trial = [&](const TrialReport& report) {
    if (report.stage == SearchStage::kShort) {
      of_short.push_back(report);
    } else {
      full.insert(report.trial);
    }
    return true;
  };
  const SearchResult result = run();
  ASSERT_GT(of_short.size(), 3u);
  const size_t kept = (of_short.size() + 2) / 3;
  EXPECT_EQ(full.size(), 20 - of_short.size() + kept);
  EXPECT_EQ(planned_scores(table_.problem, config_, options_),
            static_cast<int64_t>(of_short.size() + full.size()));
  EXPECT_EQ(result.ranking.size(), full.size());
  EXPECT_EQ(result.done, 20);
  std::sort(of_short.begin(), of_short.end(), [](const auto& a, const auto& b) {
    return a.score.value() != b.score.value() ? a.score.value() > b.score.value()
                                              : a.trial < b.trial;
  });
  for (size_t r = 0; r < of_short.size(); ++r) {
    EXPECT_EQ(full.contains(of_short[r].trial), r < kept) << r;
  }
}

TEST_P(Search, StoppedAndResumedEqualsUninterrupted) {
  for (const bool halving : {false, true}) {
    options_.halving = halving;
    options_.known.clear();
    const SearchResult whole = run();
    const int64_t planned = planned_scores(table_.problem, config_, options_);
    for (const int64_t scores : {int64_t{1}, int64_t{5}, planned}) {
      options_.known.clear();
      run_until(static_cast<size_t>(scores));
      expect_same(whole, run(2));
    }
  }
}

TEST_P(Search, TimeThatIsUpLeavesAtLeastOneTrial) {
  for (const bool halving : {false, true}) {
    options_.halving = halving;
    options_.seconds = 1e-9;
    const SearchResult result = run();
    EXPECT_TRUE(result.cut_short);
    EXPECT_FALSE(result.stopped);
    EXPECT_GE(result.ranking.size(), 1u);
    EXPECT_LT(result.done, 12);
    EXPECT_TRUE(test::is_probabilities(result.p));
  }
}

TEST_P(Search, SettingsHoldForEveryTrial) {
  config_.k = 4;
  config_.gnn_heads = false;
  config_.averaging = false;
  const SearchResult result = run();
  EXPECT_EQ(result.members.size(), 1u);
  for (const TrialReport& report : result.ranking) {
    EXPECT_NE(report.module.find(" k=4 "), std::string::npos) << report.module;
    EXPECT_EQ(report.module.find("gnn"), std::string::npos) << report.module;
  }
}

TEST_P(Search, RefusesWhatItCannotDo) {
  const auto kind_of = [&] {
    try {
      run();
    } catch (const Error& error) {
      return error.kind();
    }
    ADD_FAILURE() << "nothing was refused";
    return ErrorKind::kIo;
  };
  options_.trials = 0;
  EXPECT_EQ(kind_of(), ErrorKind::kUsage);
  options_.trials = 3;
  options_.known = run().ranking;
  options_.known[0].module += " other";
  EXPECT_EQ(kind_of(), ErrorKind::kUsage);
  options_.known.clear();
  config_.spread_heads = config_.prototype_heads = config_.gnn_heads = false;
  EXPECT_EQ(kind_of(), ErrorKind::kUsage);
  config_ = {};
  table_.problem.val.clear();
  EXPECT_EQ(kind_of(), ErrorKind::kUsage);
}

TEST_P(Search, AFailingCallbackIsHeard) {
  options_.on_trial = [](const TrialReport&) -> bool {
    throw Error(ErrorKind::kIo, "the disk is full");
  };
  EXPECT_THROW(run(2), Error);
}

// Large enough for BLAS to start threads of its own, where it is not told otherwise.
TEST(SearchOfDigits, TheSameAgainAndForAnyNumberOfThreads) {
  const Dataset digits = load_dataset("digits");
  const Split& split = digits.splits[0];
  std::vector<int32_t> seen = split.train;
  seen.insert(seen.end(), split.val.begin(), split.val.end());
  const Problem problem{.features = &digits.features,
                        .graph = nullptr,
                        .labels = reveal_labels(digits.labels, seen),
                        .train = split.train,
                        .val = split.val,
                        .classes = digits.classes()};
  Config config;
  config.gnn_heads = false;
  SearchOptions options;
  options.trials = 4;
  const SearchResult first = search_modules(problem, config, Context{1}, options);
  expect_same(first, search_modules(problem, config, Context{1}, options));
  expect_same(first, search_modules(problem, config, Context{2}, options));
}

}  // namespace
}  // namespace glgnn
