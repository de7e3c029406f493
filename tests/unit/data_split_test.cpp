#include <algorithm>
#include <set>

#include "data/data.h"
#include "data/npz.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Rows = std::vector<int32_t>;

// `counts[c]` rows of class c, mixed, with an unlabelled row after every fourth.
Rows make_labels(std::vector<int> counts) {
  Rows labels;
  for (bool more = true; more;) {
    more = false;
    for (size_t c = 0; c < counts.size(); ++c) {
      if (counts[c]-- <= 0) continue;
      labels.push_back(static_cast<int32_t>(c));
      if (labels.size() % 5 == 4) labels.push_back(-1);
      more = true;
    }
  }
  return labels;
}

int64_t count_class(const Rows& rows, const Rows& labels, int32_t c) {
  return std::count_if(rows.begin(), rows.end(), [&](int32_t row) { return labels[row] == c; });
}

TEST(DataMakeSplit, SplitsEachClassInTheSameProportion) {
  const Rows labels = make_labels({100, 50, 10});
  const Split s = make_split(labels, 3, {.train = 0.75, .test = 0.2}, 7);
  EXPECT_EQ(count_class(s.test, labels, 0), 20);
  EXPECT_EQ(count_class(s.test, labels, 1), 10);
  EXPECT_EQ(count_class(s.test, labels, 2), 2);
  EXPECT_EQ(count_class(s.val, labels, 0), 20);
  EXPECT_EQ(count_class(s.val, labels, 1), 10);
  EXPECT_EQ(count_class(s.val, labels, 2), 2);
  std::set<int32_t> all(s.train.begin(), s.train.end());
  all.insert(s.val.begin(), s.val.end());
  all.insert(s.test.begin(), s.test.end());
  EXPECT_EQ(all.size(), 160u) << "each labelled row once";
  EXPECT_EQ(s.train.size() + s.val.size() + s.test.size(), 160u);
  for (const int32_t row : all) EXPECT_GE(labels[row], 0);
  EXPECT_TRUE(std::is_sorted(s.train.begin(), s.train.end()));
}

TEST(DataMakeSplit, DependsOnTheSeedAndOnNothingElse) {
  const Rows labels = make_labels({30, 30});
  const Split a = make_split(labels, 2, {}, 1), b = make_split(labels, 2, {}, 1);
  EXPECT_EQ(a.train, b.train);
  EXPECT_EQ(a.val, b.val);
  EXPECT_NE(a.val, make_split(labels, 2, {}, 2).val);
  EXPECT_TRUE(a.test.empty());
  EXPECT_EQ(a.val.size(), 12u);
}

TEST(DataMakeSplit, CarriesTheRoundingFromClassToClass) {
  const Rows labels = make_labels(std::vector<int>(10, 2));  // 0.4 rows of each class to validate
  const Split s = make_split(labels, 10, {.train = 0.8}, 0);
  EXPECT_EQ(s.val.size(), 4u);
  for (int32_t c = 0; c < 10; ++c) EXPECT_GE(count_class(s.train, labels, c), 1);
}

TEST(DataMakeSplit, KeepsATrainingRowOfEachClass) {
  const Rows labels = make_labels({40, 1, 2});
  const Split s = make_split(labels, 3, {.train = 0.1, .test = 0.9}, 3);
  for (int32_t c = 0; c < 3; ++c) EXPECT_GE(count_class(s.train, labels, c), 1);
  EXPECT_EQ(count_class(s.train, labels, 1), 1);
  EXPECT_FALSE(s.val.empty());
  // So few rows that the fraction rounds to none: one validates all the same.
  EXPECT_EQ(make_split(make_labels({2, 1}), 2, {.train = 0.9}, 0).val.size(), 1u);
}

TEST(DataMakeSplit, TrainsOnEverythingIfAskedTo) {
  const Split s = make_split({0, 1, 0, -1, 1}, 2, {.train = 1.0}, 0);
  EXPECT_EQ(s.train, (Rows{0, 1, 2, 4}));
  EXPECT_TRUE(s.val.empty());
}

TEST(DataMakeSplit, RefusesWhatCannotBeSplit) {
  const TempFolder folder;
  const auto error = [&](ErrorKind kind, const Rows& labels, SplitFractions fractions) {
    return folder.error_of(kind, [&] { make_split(labels, 2, fractions, 0); });
  };
  EXPECT_EQ(error(ErrorKind::kData, {0, 1, -1}, {.train = 0.8}),
            "no labelled row can be kept for validation: found 2 labelled rows, expected a class "
            "with two rows or more besides those of other parts; label more rows, or train on all "
            "of them with --val-fraction 0");
  EXPECT_TRUE(begins(error(ErrorKind::kData, {0, 1, -1}, {.train = 1, .test = 0.5}),
                     "no labelled row can be kept for test: foun"));
  EXPECT_EQ(
      error(ErrorKind::kData, {-1, -1, -1}, {}),
      "no labelled row: found 0 labels in 3 rows, expected some; name the column (or file) of "
      "the labels with --label");
  EXPECT_EQ(error(ErrorKind::kUsage, {0, 1, 0}, {.train = 0}),
            "fractions of a split: found train 0.000000 and test 0.000000, expected train above 0 "
            "and up to 1, test from 0 and below 1; correct them");
  EXPECT_TRUE(begins(error(ErrorKind::kUsage, {0, 1, 0}, {.train = 0.5, .test = 1}),
                     "fractions of a split: found"));
  EXPECT_EQ(error(ErrorKind::kUsage, {0, 1, 2}, {}), "row 2 has class 2, expected less than 2");
}

TEST(DataRevealLabels, HidesEverythingElse) {
  const Rows labels{2, 1, 0, 1};
  EXPECT_EQ(reveal_labels(labels, Rows{1, 2}), (Rows{-1, 1, 0, -1}));
  EXPECT_EQ(reveal_labels(labels, Rows{}), (Rows{-1, -1, -1, -1}));
  EXPECT_THROW(reveal_labels(labels, Rows{4}), Error);
  EXPECT_THROW(reveal_labels(labels, Rows{-1}), Error);
}

class DataSplitFile : public testing::Test {
 protected:
  Split load(const std::string& text, const std::string& file = "s.csv") {
    const std::string table = folder_.write("t.csv", "i,x,k\na,1,u\nb,2,v\nc,3,u\nd,4,v\ne,5,\n");
    const Dataset d =
        load_dataset(table, {.label = "k", .id = "i", .split = folder_.write(file, text)});
    EXPECT_EQ(d.splits.size(), 1u);
    EXPECT_TRUE(d.splits_are_seeds);
    return d.splits[0];
  }
  std::string error(const std::string& text, const std::string& file = "s.csv") {
    return folder_.error_of(ErrorKind::kData, [&] { load(text, file); });
  }

  TempFolder folder_;
};

TEST_F(DataSplitFile, ReadsText) {
  const Split s = load("# by hand\npart,why,id\ntrain,,b\ntest,,d\nval,x,c\ntrain,,a\n");
  EXPECT_EQ(s.train, (Rows{0, 1}));
  EXPECT_EQ(s.val, (Rows{2}));
  EXPECT_EQ(s.test, (Rows{3}));
  const std::string numbers = folder_.write("n.tsv", "id\tpart\n0\ttrain\n3\ttest\n");
  EXPECT_EQ(load_dataset(fixture("stored.npz"), {.split = numbers}).splits[0].test, (Rows{3}));
}

TEST_F(DataSplitFile, ReadsArchives) {
  const auto read = [](const std::string& file) {
    return load_dataset(fixture("stored.npz"), {.split = fixture(file)}).splits[0];
  };
  const Split s = read("split.npz");
  EXPECT_EQ(s.train, (Rows{0, 3}));
  EXPECT_EQ(s.val, (Rows{1}));
  EXPECT_EQ(s.test, (Rows{2, 4}));
  const Split rest = read("split_no_test.npz");
  EXPECT_TRUE(rest.val.empty());
  EXPECT_EQ(rest.test, (Rows{1, 2, 4, 5})) << "without test, every other labelled row";
  const std::string path = folder_.write("s.npz", bytes_of(fixture("split.npz")));
  const std::string table = folder_.write("t.csv", "x,y\n1,3\n2,1\n3,4\n4,1\n5,5\n");
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kData, [&] { load_dataset(table, {.split = path}); }),
      "s.npz: a row without a label: found \"row 0 in train\", expected labelled rows; remove "
      "it from the split");
}

TEST_F(DataSplitFile, RefusesRowsThatDoNotExist) {
  const std::string table = folder_.write("t.csv", "x,k\n1,u\n2,v\n3,u\n");
  const std::string path = folder_.write("s.npz", bytes_of(fixture("split_no_test.npz")));
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kData,
                       [&] { load_dataset(table, {.label = "k", .split = path}); }),
      "s.npz (train): no such row: found \"3\", expected rows from 0 to 2; correct the split");
}

// As row numbers a mask of one row would be row 0 and row 1.
TEST_F(DataSplitFile, RefusesMasks) {
  const std::string table = folder_.write("t.csv", "x,k\n1,u\n2,v\n3,u\n");
  const std::string path = folder_.path("s.npz");
  write_npz(path, std::vector<NpzArray>{{"train", "|b1", {2}, std::string("\1\0", 2)}});
  EXPECT_EQ(folder_.error_of(ErrorKind::kData,
                             [&] { load_dataset(table, {.label = "k", .split = path}); }),
            "s.npz (train): not row numbers: found \"True and False\", expected the numbers of the "
            "rows; save numpy.flatnonzero(mask) instead of the mask");
}

TEST_F(DataSplitFile, RefusesBrokenSplits) {
  EXPECT_EQ(error("id,where\na,train\n"),
            "s.csv:1: column \"part\" is missing: found \"id, where\", expected the columns id and "
            "part; name the columns in the first line");
  EXPECT_EQ(
      error("id,part\na,train\nz,test\n"),
      "s.csv:3: no such row: found \"z\", expected an id of the data; correct it, or name the "
      "column of the ids with --id");
  EXPECT_EQ(error("id,part\na,Train\n"),
            "s.csv:2: no such part: found \"Train\", expected train, val or test; correct it, or "
            "remove rows that are in no part");
  EXPECT_EQ(error("id,part\na\n"),
            "s.csv:2: a row of another length: found \"1 field\", expected 2 as in the header; "
            "complete the row");
  EXPECT_EQ(error("id,part\na,train\nb,train\na,val\n"),
            "s.csv: a row given twice: found \"row 0 in val, also in train\", expected each row "
            "once; remove it from one of them");
  EXPECT_EQ(error("id,part\na,train\ne,test\n"),
            "s.csv: a row without a label: found \"row 4 in test\", expected labelled rows; remove "
            "it from the split");
  EXPECT_EQ(
      error("id,part\na,test\n"),
      "s.csv: no rows to train on: found \"0 rows in train\", expected at least one; add rows "
      "to train");
}

}  // namespace
}  // namespace glgnn
