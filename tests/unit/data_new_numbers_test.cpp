// Numbers, times and dates of rows that come after fit(), however they are written.
#include "data/cells.h"
#include "unit/new_rows_util.h"

namespace glgnn {
namespace {

TEST_F(NewRowsTest, TimesAreWrittenInAnyWay) {
  const std::string hours = "t,n\n17:07,1\n8:30,2\n23:59,4\n";
  const std::string seconds = "t,n\n17:07:00,1\n08:30:00,2\n23:59:00,4\n";
  for (const std::string& fitted :
       {hours, seconds, std::string("t,n\n5:07 PM,1\n8:30 AM,2\n9:00 PM,3\n")}) {
    fitted_ = load_dataset(folder_.write("t.csv", fitted));
    for (const std::string time : {"17:07", "17:07:00", "5:07 PM", "05:07:00pm"}) {
      NewRows rows = open("t,n\n" + time + ",1\n");
      EXPECT_EQ(row(read(rows), 0)[0], 61620) << time;
    }
    EXPECT_TRUE(begins(error("t,n\n90,1\n"),
                       "new.csv:2: column \"t\": not a number: found \"90\", expected a time, "
                       "as the fitted rows have it; write all numbers alike, as 8:30"));
  }
  fitted_ = load_dataset(folder_.write("t.csv", "t,n\n61:00,1\n3:45,2\n4:00,4\n"));
  NewRows rows = open("t,n\n0:03:45,1\n3:45,1\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0)[0], 225);
  EXPECT_EQ(row(block, 1)[0], 225);
  // Durations that all have three numbers do not say what two would mean.
  fitted_ = load_dataset(folder_.write("t.csv", "t,n\n1:23:45,1\n0:30:00,2\n0:40:00,4\n"));
  EXPECT_TRUE(begins(error("t,n\n59:30,1\n"),
                     "new.csv:2: column \"t\": not a number: found \"59:30\", expected a number in "
                     "every row, or a gap; write all numbers alike, as 0:20:34.5"));
}

// A model of before kept all clocks under one sign: two numbers are 60 times the first and the
// second.
TEST_F(NewRowsTest, TimesForAModelOfBefore) {
  fitted_ = load_dataset(folder_.write("t.csv", "t,n\n17:07,1\n8:30,2\n9:15,4\n"));
  fitted_.plan.columns[0].style.unit = ":";
  NewRows rows = open("t,n\n17:07,1\n90,2\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0)[0], 1027);
  EXPECT_EQ(row(block, 1)[0], 90);
}

TEST_F(NewRowsTest, BareNumbersAreNoPercent) {
  fitted_ = load_dataset(folder_.write("t.csv", "p,q,n\n66.1%,3k,1\n5%,4k,2\n7 %,5k,4\n"));
  NewRows rows = open("p,q,n\n1%,2k,1\n");
  EXPECT_EQ(row(read(rows), 0), (std::vector<float>{1, 2, 1}));
  EXPECT_EQ(error("p,q,n\n1%,2k,1\n0.6607,2k,1\n"),
            "new.csv:3: column \"p\": not a number: found \"0.6607\", expected a number with %, as "
            "the fitted rows have it; write all numbers alike, as 1234.5%");
  EXPECT_TRUE(
      begins(error("p;q;n\n1%;2000;1\n"),
             "new.csv:2: column \"q\": not a number: found \"2000\", expected a number with "
             "k, as the fitted rows have it"));
  EXPECT_TRUE(begins(error("p;q;n\n0,5;2k;1\n"), "new.csv:2: column \"p\": not a number"));
  const std::vector<double> number{0.6607};
  const Frame frame{{{.name = "p", .numbers = number},
                     {.name = "q", .is_text = true, .texts = {"2k"}},
                     {.name = "n", .numbers = number}},
                    1};
  EXPECT_TRUE(begins(folder_.error_of(ErrorKind::kData,
                                      [&] {
                                        NewRows of_frame(frame, fitted_.plan, {});
                                        RowBlock block;
                                        of_frame.next(block);
                                      }),
                     "X, row 0: column \"p\": not a number: found \"0.6607\", expected a number "
                     "with %"));
}

// A file with the other decimal sign must not be read a thousandfold wrong.
TEST_F(NewRowsTest, OneColumnHasOneDecimalSign) {
  fitted_ = load_dataset(folder_.write("t.csv", "p;n\n1,25;1\n1.500,75;2\n7,5;4\n"));
  EXPECT_EQ(error("p,n\n1.500,1\n1500,2\n1.5,4\n"),
            "new.csv:4: column \"p\": two decimal signs: found \"1.5\", expected the sign of "
            "the fitted rows, as in \"1.500\" of line 2, which is 1500 and not 1.5; write all "
            "numbers alike, as 1.234,5");
  EXPECT_TRUE(begins(error("p,n\n1.5,1\n1.500,2\n"),
                     "new.csv:2: column \"p\": two decimal signs: found \"1.5\", expected the "
                     "sign of the fitted rows, as in \"1.500\" of line 3"));
  NewRows points = open("p,n\n1.5,1\n1500,2\n");
  EXPECT_EQ(row(read(points), 0)[0], 1.5);
  NewRows commas = open("p;n\n1,5;1\n1.500;2\n");
  EXPECT_EQ(row(read(commas), 1)[0], 1500);
  fitted_ = load_dataset(folder_.write("t.csv", "p,n\n1.25,1\n\"1,500.75\",2\n7.5,4\n"));
  EXPECT_TRUE(begins(error("p;n\n1,234;1\n1,5;2\n"),
                     "new.csv:3: column \"p\": two decimal signs: found \"1,5\""));
}

TEST_F(NewRowsTest, SuffixesAndUnits) {
  fitted_ = load_dataset(
      folder_.write("t.csv", "a,b,s\n1.2k,5 hours,+\n700,1 hour,-\n2k,2 hours,+\n3M,3 hours,-\n"));
  NewRows rows = open("a,b,s\n2.5k,7 Hours,-\n1G,1,\n10,2 hour,+\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0), (std::vector<float>{2500, 7, 0, 1}));
  EXPECT_EQ(row(block, 1), (std::vector<float>{1e9f, 1, 0, 0}));
  EXPECT_EQ(row(block, 2), (std::vector<float>{10, 2, 1, 0}));
}

TEST_F(NewRowsTest, UnitsKeepTheOtherDecimalSign) {
  fitted_ =
      load_dataset(folder_.write("t.csv", "p;w;n\n27,5%;1,5 kg;1\n3,5%;2,5 kg;2\n7%;3 kg;4\n"));
  NewRows points = open("p,w,n\n27.0 %,4.25 kg,1\n3%,4.25,2\n");
  EXPECT_EQ(row(read(points), 0), (std::vector<float>{27, 4.25, 1}));
  EXPECT_TRUE(begins(error("p,w,n\n0.27,1 kg,1\n"), "new.csv:2: column \"p\": not a number"));
  EXPECT_TRUE(begins(error("p,w,n\n3%,4.25 lb,1\n"), "new.csv:2: column \"w\": not a number"));
  fitted_ = load_dataset(folder_.write("t.csv", "p,w,n\n27.5%,$1.5,1\n3.5%,$2.5,2\n7%,$3,4\n"));
  NewRows commas = open("p;w;n\n27,25%;$4,5;1\n3%;1;2\n");
  EXPECT_EQ(row(read(commas), 0), (std::vector<float>{27.25, 4.5, 1}));
  // Units do not hide that a number has two meanings.
  fitted_ = load_dataset(folder_.write("t.csv", "w;n\n1.500,5 kg;1\n2,5 kg;2\n3 kg;4\n"));
  EXPECT_TRUE(begins(error("w,n\n1.500 kg,1\n1.5 kg,2\n"),
                     "new.csv:3: column \"w\": two decimal signs: found \"1.5 kg\""));
}

TEST_F(NewRowsTest, CoordinatesHaveASign) {
  fitted_ = load_dataset(folder_.write("t.csv", "p,n\n27.5N,1\n3.5S,2\n7.25N,4\n"));
  NewRows rows = open("p;n\n27,25\u00B0 S;1\n-4.5;2\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0)[0], -27.25f);
  EXPECT_EQ(row(block, 1)[0], -4.5f);
  EXPECT_EQ(
      error("p,n\n27.5E,1\n"),
      "new.csv:2: column \"p\": not a number: found \"27.5E\", expected a number with N, S, as "
      "the fitted rows have it; correct the value, or leave it empty");
}

TEST_F(NewRowsTest, MonthsAreWrittenInAnyWay) {
  fitted_ = load_dataset(folder_.write("t.csv", "m,n\n2021-01,1\n2021-04,2\n2021-10,4\n"));
  for (const std::string month : {"2020-12", "12/2020", "Dec 2020", "2020-12-01"}) {
    NewRows rows = open("m,n\n" + month + ",1\n");
    EXPECT_EQ(row(read(rows), 0)[0], 18597) << month;
  }
  EXPECT_TRUE(begins(error("m,n\nsoon,1\n"), "new.csv:2: column \"m\": not a date"));
}

}  // namespace
}  // namespace glgnn
