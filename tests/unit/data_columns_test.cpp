// What the columns of a table are taken for, and what becomes of them.
#include "data/data.h"
#include "data/labels.h"
#include "data/table_header.h"
#include "data/values.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Strings = std::vector<std::string>;

class DataColumns : public testing::Test {
 protected:
  Dataset load(const std::string& text, const LoadOptions& options = {},
               const std::string& file = "t.csv") {
    return load_dataset(folder_.write(file, text), options);
  }
  std::string error(ErrorKind kind, const std::string& text, const LoadOptions& options = {}) {
    return folder_.error_of(kind, [&] { load(text, options); });
  }
  // A column x of these values beside a column of numbers.
  Dataset column(const Strings& values, const LoadOptions& options = {}) {
    std::string text = "n,x\n";
    for (size_t i = 0; i < values.size(); ++i) {
      text += std::to_string(i * i) + ",\"" + values[i] + "\"\n";
    }
    return load(text, options);
  }
  std::vector<float> values(const Dataset& d, int64_t j) {
    std::vector<float> out;
    for (int64_t i = 0; i < d.rows(); ++i) out.push_back(d.features.dense[i][j]);
    return out;
  }

  TempFolder folder_;
};

TEST_F(DataColumns, CategoriesBecomeAFeatureForEachLevel) {
  const Dataset d = column({"red", "blue", "red", "blue", "red"});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=blue", "x=red"}));
  EXPECT_EQ(values(d, 1), (std::vector<float>{0, 1, 0, 1, 0}));
  EXPECT_EQ(values(d, 2), (std::vector<float>{1, 0, 1, 0, 1}));
  EXPECT_EQ(d.notes, (Strings{"1 column of categories becomes 2 features: x"}));
  EXPECT_EQ(d.plan.columns[1].kind, ColumnKind::kCategorical);
  EXPECT_EQ(d.plan.columns[1].level_counts, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(d.plan.feature_names, d.feature_names);
}

TEST_F(DataColumns, BooleansAreCategories) {
  EXPECT_EQ(column({"true", "false", "false", "true"}).feature_names,
            (Strings{"n", "x=false", "x=true"}));
}

TEST_F(DataColumns, RareLevelsArePooled) {
  const Dataset d = column({"red", "blue", "red", "blue", "teal", "pink"});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=blue", "x=red", "x=(other)"}));
  EXPECT_EQ(values(d, 3), (std::vector<float>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(d.notes,
            (Strings{"1 column of categories becomes 3 features: x; rare levels are pooled in x"}));
}

TEST_F(DataColumns, ManyLevelsAreCutAtFifty) {
  Strings values;
  for (int i = 0; i < 200; ++i) values.push_back("level" + std::to_string(i % 80));
  const Dataset d = column(values);
  EXPECT_EQ(d.features.cols(), 1 + 50 + 1);
  EXPECT_EQ(d.feature_names.back(), "x=(other)");
}

TEST_F(DataColumns, GapsTakeTheMedianAndAreMarked) {
  for (const std::string gap : {"", "NA", "n/a", "NaN", "nan", "NULL", "None", "?", "-"}) {
    const Dataset d = column({"1", gap, "5", "2", "100"});
    EXPECT_EQ(d.feature_names, (Strings{"n", "x", "x is missing"})) << gap;
    EXPECT_EQ(values(d, 1), (std::vector<float>{1, 3.5, 5, 2, 100})) << gap;
    EXPECT_EQ(values(d, 2), (std::vector<float>{0, 1, 0, 0, 0})) << gap;
    EXPECT_EQ(d.notes, (Strings{"1 gap in 1 column, where numbers take the median and a feature "
                                "says so: x"}));
  }
}

TEST_F(DataColumns, GapsOfCategoriesHaveNoLevel) {
  const Dataset d = column({"u", "", "v", "u", "v"});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=u", "x=v", "x is missing"}));
  EXPECT_EQ(values(d, 1), (std::vector<float>{1, 0, 0, 1, 0}));
  EXPECT_EQ(values(d, 3), (std::vector<float>{0, 1, 0, 0, 0}));
}

TEST_F(DataColumns, WhereOneValueIsAllThereIsOnlyGapsCount) {
  EXPECT_EQ(column({"7", "", "7", "7"}).feature_names, (Strings{"n", "x is missing"}));
  const Dataset d = column({"yes", "", "yes", ""});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x is missing"}));
  EXPECT_EQ(values(d, 1), (std::vector<float>{0, 1, 0, 1}));
  EXPECT_EQ(d.notes[0], "1 column of categories becomes 1 feature: x");
}

TEST_F(DataColumns, EmptyAndConstantColumnsAreLeftOut) {
  const Dataset d = load("n,e,c,t\n1,,4,u\n2,NA,4,u\n4,?,4,u\n");
  EXPECT_EQ(d.feature_names, (Strings{"n"}));
  EXPECT_EQ(d.notes,
            (Strings{"1 column has no value in any row and is left out: e",
                     "2 columns have the same value in every row and are left out: c, t"}));
}

TEST_F(DataColumns, IdsAreLeftOut) {
  const Dataset d = load("customer_id,name,n,id\n7,ann,3,a\n8,bob,5,b\n9,cid,4,c\n12,dora,4,d\n");
  EXPECT_EQ(d.feature_names, (Strings{"n"}));
  EXPECT_EQ(d.notes,
            (Strings{"3 columns have a value of their own in every row and are left out: "
                     "customer_id, name, id; --id names the rows by one, and --numeric keeps "
                     "one that measures"}));
  // Whole numbers that are all different are measurements, unless their name says otherwise.
  EXPECT_EQ(load("weight,n\n7,3\n8,5\n9,4\n").feature_names, (Strings{"weight", "n"}));
  EXPECT_EQ(load("id,n\n7,3\n7,5\n9,4\n").feature_names, (Strings{"id", "n"}));
  EXPECT_EQ(load("id,n\n7,3\n8,5\n9,4\n", {.numeric = {"id"}}).feature_names, (Strings{"id", "n"}));
  // So are whole numbers that no float can hold.
  const std::string digits(39, '7');
  EXPECT_EQ(load("tx,n\n" + digits + "1,3\n" + digits + "2,5\n" + digits + "3,4\n").notes,
            (Strings{"1 column has a value of its own in every row and is left out: tx; --id names "
                     "the rows by one, and --numeric keeps one that measures"}));
  EXPECT_EQ(error(ErrorKind::kData, "x,n\n7,3\n" + digits + ",5\n9,4\n"),
            "t.csv:3: column \"x\": not a finite number: found \"" + digits +
                "\", expected a number that fits into float32; replace the value, or leave it "
                "empty; if the column holds categories use --categorical x; --drop x leaves it "
                "out");
}

TEST_F(DataColumns, NumbersOfRowsAreLeftOutAlsoWhereRowsWereTakenOut) {
  for (const std::string name : {"rownames", "row_names", "row.names", "Row Number", "S.No",
                                 "S.No.", "Unnamed: 0", "obs", "Observation"}) {
    EXPECT_EQ(load(name + ",n\n1,3\n2,5\n4,4\n").feature_names, (Strings{"n"})) << name;
  }
  for (const std::string name : {"snow", "norm", "rows", "observed"}) {
    EXPECT_EQ(load(name + ",n\n1,3\n2,5\n4,4\n").feature_names, (Strings{name, "n"}));
  }
  EXPECT_EQ(load("obs,n\n4,3\n2,5\n1,4\n").feature_names, (Strings{"obs", "n"})) << "not in order";
}

TEST_F(DataColumns, FreeTextIsLeftOut) {
  Strings remarks;
  for (int i = 0; i < 6; ++i) {
    remarks.push_back("the tree number " + std::to_string(i) + " was seen in the morning light");
  }
  const Dataset d = column(remarks);
  EXPECT_EQ(d.feature_names, (Strings{"n"}));
  EXPECT_EQ(
      d.notes,
      (Strings{"1 column holds free or hardly shared text and is left out: x; --categorical would "
               "take its values as categories"}));
  EXPECT_EQ(column(remarks, {.categorical = {"x"}}).features.cols(), 7);
  EXPECT_EQ(column({"C85", "", "C123", "E46"}).plan.columns[1].kind, ColumnKind::kText)
      << "with gaps it does not name the rows";
}

TEST_F(DataColumns, DatesBecomeDays) {
  const Dataset d = column({"1970-01-02", "2024-02-29", "", "1969-12-31T12:00"});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x", "x is missing"}));
  EXPECT_EQ(values(d, 1), (std::vector<float>{1, 19782, 1, -0.5}));
  EXPECT_EQ(d.notes[0], "dates become days since 1970-01-01: x");
  EXPECT_EQ(error(ErrorKind::kData, "n,x\n1,2024-02-29\n2,2024-02-30\n3,2024-03-01\n"),
            "t.csv:3: column \"x\": not a date: found \"2024-02-30\", expected a date such as "
            "2024-05-17 in every row, or a gap; correct the value or remove the row; if the column "
            "holds categories use --categorical x");
}

TEST_F(DataColumns, DatesThatAreNotClearAreLeftOut) {
  for (const std::string date :
       {"3/4/2024", "03.04.24", "13/02/24", "3-4-2024 12:30", "3-May-24"}) {
    const Dataset d = column({date, date, "5/6/2023"});
    EXPECT_EQ(d.feature_names, (Strings{"n"})) << date;
    EXPECT_EQ(d.notes, (Strings{"1 column holds dates that can be read in several ways and is left "
                                "out: x; 2024-05-17 is always clear"}));
  }
}

TEST_F(DataColumns, VersionsAreNoDates) {
  for (const std::string version : {"1.5.2", "1.10.2", "10.4.1", "3.40.12"}) {
    EXPECT_EQ(column({version, version, "3.1.4", "3.1.4"}).plan.columns[1].kind,
              ColumnKind::kCategorical)
        << version;
  }
}

TEST_F(DataColumns, DatesOfAnyOrderWhereADayIsAboveTwelve) {
  for (const Strings& dates : {Strings{"26.02.2023", "3.4.2023", "", "01.01.1970 12:00"},
                               Strings{"02/26/2023", "4/3/2023", "", "01/01/1970 12:00"},
                               Strings{"2023/2/26", "2023/4/3", "", "1970/1/1 12:00"}}) {
    const Dataset d = column(dates);
    EXPECT_EQ(values(d, 1), (std::vector<float>{19414, 19450, 19414, 0.5})) << dates[0];
  }
  EXPECT_EQ(column({"26.02.2023", "3.4.2023", "4.4.2023"}).notes,
            (Strings{"dates become days since 1970-01-01: x; those of x begin with the day"}));
  EXPECT_EQ(error(ErrorKind::kData, "n,x\n1,26.02.2023\n2,03.04.2023\n3,30.02.2023\n"),
            "t.csv:4: column \"x\": not a date: found \"30.02.2023\", expected a date such as "
            "17.05.2024 in every row, or a gap; correct the value or remove the row; if the column "
            "holds categories use --categorical x");
}

TEST_F(DataColumns, ReadsTimes) {
  double days = 0;
  EXPECT_TRUE(parse_iso_date("1970-01-01T06:00:00Z", days));
  EXPECT_EQ(days, 0.25);
  EXPECT_TRUE(parse_iso_date("1970-01-02 01:00:00.5+01:00", days));
  EXPECT_NEAR(days, 1 + 0.5 / 86400, 1e-12);
  for (const char* text : {"1970-01-02 01:00:00 UTC", "1970-01-02 03:00:00 +0200",
                           "1970-01-02T01:00 GMT", "1970-01-02 01:00:00,000 Z"}) {
    EXPECT_TRUE(parse_iso_date(text, days)) << text;
    EXPECT_NEAR(days, 1 + 1 / 24.0, 1e-12) << text;
  }
  EXPECT_EQ(column({"2024-05-17", "0000-00-00", "2024-05-20 00:00:00", "0000-00-00 00:00:00"})
                .plan.columns[1]
                .missing,
            2);
  for (const char* text :
       {"1970-13-01", "1970-1-1", "1970-01-01x", "1970-01-01T", "1970-01-01T6:0"}) {
    EXPECT_FALSE(parse_iso_date(text, days)) << text;
  }
  EXPECT_EQ(date_text(19782.9), "2024-02-29 21:36");
  EXPECT_EQ(date_text(-1), "1969-12-31");
}

TEST_F(DataColumns, DecimalCommas) {
  const Dataset d = load("a;b\n1,5;2\n-3;1e1\n2,25e1;7\n");
  EXPECT_EQ(values(d, 0), (std::vector<float>{1.5, -3, 22.5}));
  EXPECT_TRUE(d.plan.columns[0].style.decimal_comma);
  EXPECT_FALSE(d.plan.columns[1].style.decimal_comma);
  EXPECT_EQ(values(load("a,b\n\"1,5\",2\n\"2,25\",3\n3,5\n"), 0),
            (std::vector<float>{1.5, 2.25, 3}));
}

TEST_F(DataColumns, Thousands) {
  const Dataset d = column({"1,234", "2,500,000", "300", "1,000.5"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{1234, 2500000, 300, 1000.5}));
  EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                              "(1,234.5 is 1234.5)"}));
  for (const Strings& texts :
       {Strings{"1.234.567", "2.500", "3,5"}, Strings{"1'234'567", "2'500", "3.5"},
        Strings{"1 234 567", "2 500", "3,5"},
        Strings{"1\u00A0234\u00A0567", "2\u202F500", "3.5"}}) {
    EXPECT_EQ(values(column(texts), 1), (std::vector<float>{1234567, 2500, 3.5})) << texts[0];
  }
  for (const Strings& texts :
       {Strings{"1’234’567.50", "2’500", "3.5"}, Strings{"₹12,34,567.50", "₹2,500", "₹3.5"},
        Strings{"1.234.567,50", "2.500,-", "3,5"}}) {
    EXPECT_EQ(values(column(texts), 1), (std::vector<float>{1234567.5, 2500, 3.5})) << texts[0];
  }
  EXPECT_EQ(values(column({"\u22125", "\u20132.5", "3"}), 1), (std::vector<float>{-5, -2.5, 3}));
  // Quoted in a file of commas it is thousands, in another file a decimal comma.
  EXPECT_EQ(values(column({"1,234", "2,500", "3"}), 1), (std::vector<float>{1234, 2500, 3}));
  EXPECT_EQ(values(load("a;b\n1,234;2\n2,500;3\n3;5\n"), 0), (std::vector<float>{1.234f, 2.5, 3}));
  EXPECT_EQ(values(column({"1.234", "2.500", "3"}), 1), (std::vector<float>{1.234f, 2.5, 3}));
  // Another column of the file may tell; else that is said.
  const std::string unclear =
      "column \"a\": 1,234 is read as 1.234; where commas separate "
      "thousands, take them out";
  EXPECT_EQ(load("a;b\n986;2\n1,101;3\n1,187;5\n").notes, (Strings{unclear}));
  const Dataset points = load("a\tb\n986\t2.25\n1,101\t3\n1,187\t5\n", {}, "t.tsv");
  EXPECT_EQ(values(points, 0), (std::vector<float>{986, 1101, 1187}));
  const Dataset commas = load("a;b;c\n986;2,25;1.5\n1,101;3;2.5\n1,187;5;1.75\n");
  EXPECT_EQ(values(commas, 0), (std::vector<float>{986, 1.101f, 1.187f}));
  EXPECT_EQ(commas.notes, Strings{});
  EXPECT_EQ(
      error(ErrorKind::kData, "a;b\n1.234.567;2\n2.500.000;3\n1.5;5\n"),
      "t.csv:4: column \"a\": not a number: found \"1.5\", expected a number in every row, or "
      "a gap; write all numbers alike, as 1.234,5");
}

TEST_F(DataColumns, DurationsAndTimesOfDay) {
  const Dataset d = column({"1:23:45", "0:00:07.5", "-12:00:00", "100:00:00"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{5025, 7.5, -43200, 360000}));
  EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                              "(0:20:34.5 is 1234.5)"}));
  EXPECT_EQ(values(column({"59:30", "1:02:03", "61:00", ""}), 1),
            (std::vector<float>{3570, 3723, 3660, 3660}));
  // Ratios, codes and what no clock shows are text.
  for (const Strings& texts :
       {Strings{"1:2", "3:4", "1:2", "3:4"}, Strings{"1:60", "2:75", "1:60", "2:75"},
        Strings{"1:00:00:00", "2:00:00:00", "1:00:00:00", "2:00:00:00"},
        Strings{":30", "12:", ":30", "12:"}, Strings{"12:345", "1:234", "12:345", "1:234"}}) {
    EXPECT_EQ(column(texts).plan.columns[1].kind, ColumnKind::kCategorical) << texts[0];
  }
  // As pandas writes them.
  EXPECT_EQ(values(column({"0 days 00:01:00", "-1 days +23:00:00", "2 days 01:00:00.500000"}), 1),
            (std::vector<float>{60, -3600, 176400.5}));
  EXPECT_EQ(error(ErrorKind::kData, "n,x\n1,1:00\n2,2:00\n4,3:00\n7,soon\n"),
            "t.csv:5: column \"x\": not a number: found \"soon\", expected a number in every row, "
            "or a gap; correct the value, or leave it empty; if it means a gap use --missing "
            "\"soon\"; if the column holds categories use --categorical x");
}

TEST_F(DataColumns, TimesOfDayAreSecondsHoweverTheyAreWritten) {
  const std::vector<float> seconds{30600, 61500, 86340};
  for (const Strings& times :
       {Strings{"08:30", "17:05", "23:59"}, Strings{"8:30 AM", "17:05", "11:59 PM"},
        Strings{"8:30:00", "17:05", "23:59"}, Strings{"08:30:00", "17:05:00", "23:59:00"}}) {
    const Dataset d = column(times);
    EXPECT_EQ(values(d, 1), seconds) << times[0];
    EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                                "(8:30 is 30600)"}));
  }
  // No time of day has 59 hours.
  const Dataset d = column({"3:45", "59:30", "1:02:03"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{225, 3570, 3723}));
  EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                              "(8:30 is 510)"}));
  // As of a race.
  EXPECT_EQ(values(column({"58.25", "1:02.5", "1:10.75"}), 1),
            (std::vector<float>{58.25, 62.5, 70.75}));
}

TEST_F(DataColumns, CurrenciesPercentAndUnits) {
  EXPECT_EQ(values(column({"$1,200", "-$ 5.50", "12", "$0"}), 1),
            (std::vector<float>{1200, -5.5, 12, 0}));
  EXPECT_EQ(values(column({"1.200,50 €", "3 €", ""}), 1), (std::vector<float>{1200.5, 3, 601.75}));
  EXPECT_EQ(values(column({"50%", "7.5 %", "0%"}), 1), (std::vector<float>{50, 7.5, 0}));
  const Dataset d = column({"12 kg", "7kg", "8.5 kg"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{12, 7, 8.5}));
  EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                              "(1234.5 kg is 1234.5)"}));
  EXPECT_EQ(values(column({"1 hour", "5 hours", "2.5 Hours"}), 1), (std::vector<float>{1, 5, 2.5}));
  EXPECT_EQ(values(column({"12 KG", "7kg", "8.5 Kg"}), 1), (std::vector<float>{12, 7, 8.5}));
  EXPECT_EQ(values(column({"45 m2", "7.5m2", "8 m2"}), 1), (std::vector<float>{45, 7.5, 8}));
  EXPECT_EQ(values(column({"1.2e3 mg/m3", "7 mg/m3", "-1 mg/m3"}), 1),
            (std::vector<float>{1200, 7, -1}));
  // Whoever writes a unit in two ways means one.
  EXPECT_EQ(values(column({"5 mg/dL", "7.5 mg/dl", "8 MG/DL"}), 1),
            (std::vector<float>{5, 7.5, 8}));
  EXPECT_EQ(values(column({"45 m2", "7.5m²", "8 m2"}), 1), (std::vector<float>{45, 7.5, 8}));
  EXPECT_EQ(values(column({"4 \u00B5g", "7 \u03BCg", "8 \u00B5g"}), 1),
            (std::vector<float>{4, 7, 8}));
  EXPECT_EQ(values(column({"50%", "7.5 pct", "0%"}), 1), (std::vector<float>{50, 7.5, 0}));
  // Where units differ, or codes only look like numbers, it is text.
  for (const Strings& texts :
       {Strings{"1st", "2nd", "1st", "2nd"}, Strings{"C85", "E46", "C85", "E46"},
        Strings{"5-10 kg", "1-2 kg", "5-10 kg", "1-2 kg"}, Strings{"1 mW", "2 MW", "1 mW", "2 MW"},
        Strings{"1h15", "2h30", "1h15", "2h30"},
        Strings{"5%", "5", "5%", "5", "5%", "5", "5%", "5"}}) {
    EXPECT_EQ(column(texts).plan.columns[1].kind, ColumnKind::kCategorical) << texts[0];
  }
}

// Else 0.5 and 50 %, or 300 and 300 K, would be mixed up without a word.
TEST_F(DataColumns, ABareNumberAmongPercentIsAnError) {
  EXPECT_EQ(error(ErrorKind::kData, "n,x\n1,50%\n2,7 %\n4,0.5\n7,1%\n"),
            "t.csv:4: column \"x\": not a number: found \"0.5\", expected a number with %, as most "
            "rows have it; write all numbers alike, as 1234.5%");
  EXPECT_EQ(error(ErrorKind::kData, "n,x\n1,8:30\n2,9:15\n4,90\n7,7:00\n"),
            "t.csv:4: column \"x\": not a number: found \"90\", expected a time, as most "
            "rows have it; write all numbers alike, as 8:30");
}

// One slip of the pen makes no categories of measurements.
TEST_F(DataColumns, AFewOddUnitsAreAnError) {
  EXPECT_EQ(error(ErrorKind::kData, "n,x\n1,5 lb\n2,7 kg\n4,6 kg\n7,1 kg\n"),
            "t.csv:2: column \"x\": not a number: found \"5 lb\", expected a number with kg, as "
            "most rows have it; correct the value, or leave it empty; if the column holds "
            "categories use --categorical x");
  EXPECT_TRUE(begins(error(ErrorKind::kData, "n,x\n1,$5\n2,€7\n4,$6\n7,$1\n"),
                     "t.csv:3: column \"x\": not a number: found \"€7\", expected a number with "
                     "$, as most rows have it"));
  Strings weights;
  for (int i = 0; i < 10; ++i) weights.push_back(std::to_string(i) + (i < 6 ? " kg" : " lb"));
  EXPECT_EQ(column(weights).notes.back(),
            "column \"x\" is taken for text, though 6 of 10 values are numbers: \"9 lb\" (1 row) "
            "is none; correct such values, or name a word for gaps with --missing");
  // But a few texts that come back are meant, and so are 1st, 2nd and 3rd.
  Strings sizes(40, "10 oz"), classes(40, "3rd");
  for (const int i : {3, 5, 8}) sizes[i] = "1 lb";
  classes[7] = "1st";
  for (const Strings& texts : {sizes, classes}) {
    const Dataset d = column(texts);
    EXPECT_EQ(d.plan.columns[1].kind, ColumnKind::kCategorical) << texts[7];
    EXPECT_EQ(d.notes.size(), 1) << texts[7];
  }
}

TEST_F(DataColumns, SuffixesThatMultiply) {
  const Dataset d = column({"1.2k", "700", "3K", "2M", "-0.5B", "1,500"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{1200, 700, 3000, 2e6f, -5e8f, 1500}));
  EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                              "(1.2345k is 1234.5)"}));
  EXPECT_EQ(values(column({"$1.2M", "$900K", "$ 750", "-$1k"}), 1),
            (std::vector<float>{1.2e6f, 9e5f, 750, -1000}));
  EXPECT_EQ(column({"$1.2M", "€900K", "$1.2M", "€900K"}).plan.columns[1].kind,
            ColumnKind::kCategorical);
  // One suffix behind every number may be a unit, such as kelvins.
  EXPECT_EQ(values(column({"300K", "280K", "290 K"}), 1), (std::vector<float>{300, 280, 290}));
}

TEST_F(DataColumns, SignsAloneAreLevels) {
  const Dataset d = column({"+", "-", "++", "-", "+", "++", "", "+", "-"});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=+", "x=++", "x=-", "x is missing"}));
  EXPECT_EQ(values(d, 3), (std::vector<float>{0, 1, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(d.plan.columns[1].missing, 1);
  EXPECT_EQ(column({"+", "-", "+", "+"}).feature_names, (Strings{"n", "x=+", "x=-"}));
  EXPECT_EQ(column({"+", "-", "+", "-"}, {.missing = {"-"}}).feature_names,
            (Strings{"n", "x is missing"}));
}

TEST_F(DataColumns, LevelsThatTheUserKeepsApart) {
  Strings letters(60, "A");
  letters[7] = "a", letters[8] = "z";
  for (int i = 20; i < 40; ++i) letters[i] = "B";
  const Dataset d = column(letters, {.categorical = {"x"}});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=A", "x=B", "x=a", "x=(other)"}));
  EXPECT_EQ(values(d, 1)[7], 0);
  EXPECT_EQ(values(d, 3)[7], 1);
  EXPECT_EQ(values(d, 4)[8], 1);
}

// Float32 has steps of 512 there.
TEST_F(DataColumns, LargeNumbersThatLieCloseTogetherLoseNothing) {
  const Dataset d = column({"5812345600.0", "5812345697.6", "5812345650"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{-50, 47.6f, 0}));
  EXPECT_EQ(d.plan.columns[1].offset, 5812345650.0);
  const Dataset dates =
      column({"2024-05-17 10:00:56", "2024-05-17 10:09:15", "2024-05-17 10:05:33"});
  const std::vector<float> days = values(dates, 1);
  EXPECT_NEAR(86400 * (days[1] - days[0]), 499, 0.01);
  EXPECT_EQ(column({"2024-05-17", "2024-05-18", "2024-05-19"}).plan.columns[1].offset, 0);
}

TEST_F(DataColumns, NumbersThatCannotBeToldApartAreNotCalledTheSame) {
  const Dataset d = column({"12345678901234567", "12345678901234568", "12345678901234567"});
  EXPECT_EQ(d.feature_names, (Strings{"n"}));
  EXPECT_EQ(d.notes,
            (Strings{"1 column holds numbers too close to be told apart and is left out: x; "
                     "--categorical would take its values as categories"}));
  EXPECT_EQ(column_fate(d.plan.columns[1]), "left out: numbers too close to be told apart");
  EXPECT_EQ(column({"12345678901234567", "012345678901234567", "12345678901234567"}).notes,
            (Strings{"1 column has the same value in every row and is left out: x"}));
}

TEST_F(DataColumns, ValuesAreShownAsTheTableHasThem) {
  for (const Strings& texts :
       {Strings{"2024-01-01 17:10", "2024-01-01 19:14", "2024-03-01", "2019-12-31 23:59"},
        Strings{"2024-01-01 17:10:05", "2024-01-01 19:14:59", "2024-01-03"},
        Strings{"17:10", "8:30", "19:14", "0:00"}, Strings{"59:30", "1:02.5", "1:01:00"},
        Strings{"1:23:45", "0:00:07.25", "-12:00:00"},
        Strings{"1700000000", "1700000047.25", "1700000029.5"}, Strings{"52.5", "7.25", "-1"}}) {
    const Dataset d = column(texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      const TableColumn& x = d.plan.columns[1];
      EXPECT_EQ(value_text(x, values(d, 1)[i] + x.offset), texts[i]);
    }
  }
}

TEST_F(DataColumns, LongTextsThatComeBackAreLevels) {
  Strings answers;
  for (int i = 0; i < 40; ++i) {
    answers.push_back((i % 2 ? "Strongly agree " : "Do not agree ") + std::string(60, 'x'));
  }
  EXPECT_EQ(column(answers).plan.columns[1].kind, ColumnKind::kCategorical);
}

TEST_F(DataColumns, WordsOfSpreadsheetsAndOfTheUserAreGaps) {
  for (const std::string gap : {"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "<NA>"}) {
    EXPECT_EQ(column({"1", gap, "5"}).plan.columns[1].missing, 1) << gap;
  }
  const Dataset d = column({"1", "999", "5", "unknown"}, {.missing = {"999", "unknown"}});
  EXPECT_EQ(values(d, 1), (std::vector<float>{1, 3, 5, 3}));
  EXPECT_EQ(d.plan.missing_words, (Strings{"999", "unknown"}));
  for (const std::string gap : {"-nan", "+nan", "-NaN(ind)", "nan(0x8000000)"}) {
    EXPECT_EQ(column({"1", gap, "5"}).plan.columns[1].missing, 1) << gap;
  }
}

TEST_F(DataColumns, WordsForGapsThatAreNumbersAreThatNumber) {
  const Dataset d = column({"1.0", "-99.0", "5.0", "-99"}, {.missing = {"-99", "-98"}});
  EXPECT_EQ(values(d, 1), (std::vector<float>{1, 3, 5, 3}));
  EXPECT_EQ(d.notes.front(), "no field of the table is what --missing names: -98");
  EXPECT_EQ(load("n,k\n1,1.0\n2,-99.0\n3,2.0\n", {.label = "k", .missing = {"-99"}}).labels,
            (std::vector<int32_t>{0, -1, 1}));
}

TEST_F(DataColumns, Latin1) {
  const Dataset d = load(
      "n,stra\xDF"
      "e\n1,M\xFCller\n2,\x80\n3,M\xFCller\n4,\x80\n");
  EXPECT_EQ(d.feature_names, (Strings{"n", "straße=Müller", "straße=€"}));
  EXPECT_EQ(d.notes[0], "5 lines are not UTF-8 and read as Windows-1252 (Latin-1)");
  EXPECT_EQ(load("n,x\n1,ü\n2,é\n3,ü\n4,é\n").notes.size(), 1u) << "UTF-8 stays as it is";
}

TEST_F(DataColumns, EmptyColumnsWithoutANameAreLeftOut) {
  const Dataset d = load("a,,b,,\n1,,2,,\n3,,5,,\n4,,4,,\n");
  EXPECT_EQ(d.feature_names, (Strings{"a", "b"}));
  EXPECT_EQ(d.notes, (Strings{"3 columns without a name and without values are left out"}));
  const Dataset longer = load("a,b\n1,2,\n3,5,\n4,4\n");
  EXPECT_EQ(longer.notes,
            (Strings{"2 empty fields behind the last column of the header left out"}));
  EXPECT_EQ(error(ErrorKind::kData, "a,b,\n1,2,\n3,5,7\n4,4,\n"),
            "t.csv:3: column 3 has no name: found \"7\", expected a name for each column that has "
            "values; name the column in the first line or remove it");
}

TEST_F(DataColumns, AFewOddWordsAmongNumbersAreAnError) {
  std::string text = "n,x\n";
  for (int i = 0; i < 500; ++i)
    text += std::to_string(i) + "," + (i == 77 ? "abc" : "4." + std::to_string(i)) + "\n";
  EXPECT_EQ(
      error(ErrorKind::kData, text),
      "t.csv:79: column \"x\": not a number: found \"abc\", expected a number in every row, or "
      "a gap; correct the value, or leave it empty; if it means a gap use --missing \"abc\"; if "
      "the column holds categories use --categorical x");
  // Where words are more than a tenth, they are meant, and that is said.
  const Dataset d = column({"1", "2", "low", "1", "2", "low", "1", "high", "2", "high", "1"});
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=1", "x=2", "x=high", "x=low"}));
  EXPECT_EQ(d.notes[1],
            "column \"x\" is taken for categories, though 7 of 11 values are numbers: \"low\" (2 "
            "rows) is none; correct such values, or name a word for gaps with --missing");
}

TEST_F(DataColumns, ManyWordsAmongDatesAreSaid) {
  Strings ends;
  for (int i = 1; i < 10; ++i) {
    ends.push_back(i % 3 == 0 ? "Present" : "2024-05-0" + std::to_string(i));
  }
  EXPECT_EQ(column(ends).notes.back(),
            "column \"x\" is taken for text, though 6 of 9 values are dates: \"Present\" (3 rows) "
            "is none; correct such values, or name a word for gaps with --missing");
}

// Women with 0, 1, 2 or "3+" children: a word that comes back among few numbers is meant.
TEST_F(DataColumns, WordsThatComeBackAmongFewNumbersAreLevels) {
  Strings children;
  for (int i = 0; i < 100; ++i) children.push_back(std::to_string(i % 3));
  for (const int i : {10, 50, 90}) children[i] = "3+";
  const Dataset d = column(children);
  EXPECT_EQ(d.feature_names, (Strings{"n", "x=0", "x=1", "x=2", "x=3+"}));
  EXPECT_EQ(d.notes[1],
            "column \"x\" has few numbers and \"3+\" (3 rows): its values are categories; "
            "--missing \"3+\" makes numbers of it");
  // Numbers that measure, and a word that is there once or twice, are an error as before.
  children[90] = "1";
  EXPECT_THROW(column(children), Error);
  Strings sizes;
  for (int i = 0; i < 100; ++i) sizes.push_back(std::to_string(10 + i / 2));
  for (const int i : {10, 50, 90}) sizes[i] = "tall";
  EXPECT_THROW(column(sizes), Error);
}

TEST_F(DataColumns, TheUserDecides) {
  const std::string text = "n,x,y\n1,3,u\n2,4,v\n4,3,u\n5,4,v\n";
  EXPECT_EQ(load(text, {.categorical = {"x"}}).feature_names,
            (Strings{"n", "x=3", "x=4", "y=u", "y=v"}));
  EXPECT_EQ(load(text, {.drop = {"y", "n"}}).feature_names, (Strings{"x"}));
  EXPECT_EQ(
      error(ErrorKind::kData, text, {.numeric = {"y"}}),
      "t.csv:2: column \"y\": not a number: found \"u\", expected a number in every row, or a "
      "gap; correct the value, or leave it empty; if it means a gap use --missing \"u\"; if the "
      "column holds categories use --categorical y");
  EXPECT_EQ(
      error(ErrorKind::kUsage, text, {.drop = {"yy"}}),
      "t.csv:1: no such drop column: found \"yy\", expected a column of the header; use --drop "
      "with one of its names; the nearest are y, n, x");
  EXPECT_EQ(error(ErrorKind::kUsage, text, {.label = "y", .drop = {"y"}}),
            "t.csv:1: one column for two uses: found \"y\", expected one option for each column; "
            "take it out of --drop or of the other option");
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kUsage, [&] { load_dataset("wine", {.drop = {"ash"}}); }),
      "wine: only tables have columns to choose: found \"--drop\", expected a CSV or TSV file; "
      "leave it away");
}

// The table is sorted by its classes: the number of a row would tell its class.
TEST_F(DataColumns, AColumnThatCountsTheRowsIsLeftOut) {
  const auto table = [](int rows, int first, int step) {
    std::string text = "X,n,k\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(first + step * i) + "," + std::to_string(i * i) +
              (2 * i < rows ? ",u\n" : ",v\n");
    }
    return text;
  };
  for (const int first : {0, 1}) {
    const Dataset d = load(table(30, first, 1), {.label = "k"});
    EXPECT_EQ(d.feature_names, (Strings{"n"}));
    EXPECT_EQ(d.notes, (Strings{"1 column has a value of its own in every row and is left out: X; "
                                "--id names the rows by one, and --numeric keeps one that "
                                "measures"}));
  }
  const Strings both{"X", "n"};
  EXPECT_EQ(load(table(30, 1, 1), {.label = "k", .numeric = {"X"}}).feature_names, both);
  EXPECT_EQ(load(table(30, 1990, 1), {.label = "k"}).feature_names, both) << "years";
  EXPECT_EQ(load(table(30, 0, 5), {.label = "k"}).feature_names, both) << "a grid";
  EXPECT_EQ(load(table(10, 1, 1), {.label = "k"}).feature_names, both) << "few rows";
  std::string alone = "x,k\n";
  for (int i = 0; i < 30; ++i) alone += std::to_string(i) + (i < 15 ? ",u\n" : ",v\n");
  EXPECT_EQ(load(alone, {.label = "k"}).feature_names, (Strings{"x"})) << "there is nothing else";
}

TEST_F(DataColumns, SaysWhenNothingIsLeftToLearnFrom) {
  EXPECT_EQ(error(ErrorKind::kData, "name,e\nann,\nbob,\ncid,\n"),
            "t.csv: no features: found \"name (identifier), e (empty)\", expected a column of "
            "numbers, dates or categories; add one, or say what a column holds (--categorical or "
            "--numeric, in Python its dtype)");
}

TEST(Spellings, AreOneClassUnlessCaseTellsClassesApart) {
  const auto name_of = [](const std::map<std::string, int64_t>& rows, const std::string& text) {
    return join_spellings(rows).name_of.at(text);
  };
  EXPECT_EQ(name_of({{"yes", 9}, {"Yes", 8}, {"YES", 1}, {"no", 5}}, "YES"), "yes");
  EXPECT_EQ(name_of({{"New York", 9}, {"new york", 9}, {"b", 5}}, "new york"), "New York");
  EXPECT_EQ(name_of({{"1", 9}, {"1.0", 9}, {"2", 5}}, "1.0"), "1");
  // Capitals inside of a word, in as many rows as without.
  EXPECT_EQ(name_of({{"had", 9}, {"hAd", 9}, {"x", 5}}, "had"), "had");
  EXPECT_EQ(join_spellings({{"had", 9}, {"hAd", 9}, {"x", 5}}).apart,
            std::vector<std::string>{"\"hAd\" and \"had\""});
  EXPECT_EQ(name_of({{"iPhone", 9}, {"iphone", 2}, {"x", 5}}, "iphone"), "iPhone");
  // Three letters in both cases are an alphabet, two are sloppy.
  const std::map<std::string, int64_t> two{{"y", 3}, {"Y", 4}, {"n", 3}, {"N", 2}};
  EXPECT_EQ(name_of(two, "y"), "Y");
  std::map<std::string, int64_t> three = two;
  three["a"] = three["A"] = 3;
  EXPECT_EQ(name_of(three, "y"), "y");
  EXPECT_EQ(join_spellings(three).apart.size(), 3u);
  // Numbers that are not exact, and codes that look like one, go by their text.
  const std::map<std::string, int64_t> codes{{"12345678901234567", 9},
                                             {"12345678901234568", 8},
                                             {"0012345678901234568", 1},
                                             {"12e4567", 5},
                                             {"98e7654", 5},
                                             {"0e1234", 5},
                                             {"0", 4},
                                             {"0.0e+00", 1}};
  for (const std::string code : {"12345678901234567", "12345678901234568", "98e7654", "0e1234"}) {
    EXPECT_EQ(name_of(codes, code), code);
  }
  EXPECT_EQ(name_of(codes, "0012345678901234568"), "12345678901234568");
  EXPECT_EQ(name_of(codes, "0.0e+00"), "0");
  // Capitals of other alphabets.
  const std::map<std::string, int64_t> seasons{
      {"été", 9},  {"Été", 2}, {"ÉTÉ", 1},   {"лето", 9},  {"Лето", 2}, {"ЛЕТО", 1}, {"łąka", 9},
      {"ŁĄKA", 2}, {"Ÿ", 1},   {"λόγοι", 9}, {"ΛΌΓΟΙ", 1}, {"×", 2},    {"÷", 1}};
  for (const auto& [text, name] : std::map<std::string, std::string>{{"Été", "été"},
                                                                     {"ÉTÉ", "été"},
                                                                     {"Лето", "лето"},
                                                                     {"ЛЕТО", "лето"},
                                                                     {"ŁĄKA", "łąka"},
                                                                     {"ΛΌΓΟΙ", "λόγοι"},
                                                                     {"×", "×"},
                                                                     {"÷", "÷"}}) {
    EXPECT_EQ(name_of(seasons, text), name);
  }
  EXPECT_EQ(name_of({{"dé", 9}, {"dÉ", 9}, {"x", 5}}, "dÉ"), "dÉ");
  // All the classes there are.
  EXPECT_EQ(name_of({{"a", 3}, {"A", 4}}, "a"), "a");
}

TEST_F(DataColumns, WordsForUnknownLabels) {
  const std::string text = "n,k\n1,u\n2,v\n3,NA\n4,?\n5,none\n6,none\n7,None\n8,-\n";
  const Dataset d = load(text, {.label = "k"});
  EXPECT_EQ(d.class_names, (Strings{"none", "u", "v"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{1, 2, -1, -1, 0, 0, -1, -1}));
  EXPECT_EQ(d.notes[0],
            "4 labels taken as unknown: -, ?, NA, None; a class of this name needs another one");
  EXPECT_EQ(d.notes[1],
            "the label \"none\" is a class of 2 rows; --missing none would take it as unknown");
  EXPECT_EQ(load(text, {.label = "k", .missing = {"none"}}).class_names, (Strings{"u", "v"}));
  EXPECT_EQ(
      load("n,k\n1,u\n2,v\n3,Unknown\n4,u\n5,v\n6,Unknown\n", {.label = "k"}).notes[0],
      "the label \"Unknown\" is a class of 2 rows; --missing Unknown would take it as unknown");
  EXPECT_EQ(load("n,k\n1,+\n2,-\n3,+\n4,-\n", {.label = "k"}).class_names, (Strings{"+", "-"}));
}

TEST_F(DataColumns, SpellingsOfOneClassAreJoined) {
  const Dataset d = load("n,k\n1,Yes\n2,yes\n3,no\n4,yes\n5,no\n", {.label = "k"});
  EXPECT_EQ(d.class_names, (Strings{"no", "yes"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{1, 1, 0, 1, 0}));
  EXPECT_EQ(d.notes[0],
            "labels that differ only in their spelling are one class: \"Yes\" (1 row) "
            "is \"yes\"");
  EXPECT_EQ(load("n,k\n1,1\n2,1.0\n3,2\n4,02\n5,2\n6,1\n", {.label = "k"}).class_names,
            (Strings{"1", "2"}));
  EXPECT_EQ(load("n,k\n1,A\n2,a\n3,A\n4,a\n", {.label = "k"}).class_names, (Strings{"A", "a"}))
      << "else there would be one class";
}

TEST_F(DataColumns, MeasurementsAreNoClasses) {
  std::string text = "n,y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i * i) + "," + (i % 6 == 5 ? "" : std::to_string(i / 7.0)) + "\n";
  }
  EXPECT_TRUE(begins(error(ErrorKind::kData, text, {.label = "y"}),
                     "t.csv: column \"y\": the labels look like measurements: found \"50 different "
                     "numbers such as "));
  EXPECT_EQ(load(text, {.label = "y", .categorical = {"y"}}).classes(), 50);
  text = "n,y\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(i * i) + "," + std::to_string(i % 3) + ".5\n";
  EXPECT_EQ(load(text, {.label = "y"}).classes(), 3) << "numbers that rows share are classes";
}

}  // namespace
}  // namespace glgnn
