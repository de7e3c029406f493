// How numbers and times of a table are written, and what they are read as.
#include "data/data.h"
#include "data/dates.h"
#include "data/labels.h"
#include "data/table_header.h"
#include "data/values.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

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
  // So it may for points: where others have decimal commas, and none has decimal points.
  const Dataset german = load("a;b;c;d\n848;1.250 €;2,25;1,5\n43.630;900 €;3;2\n1.187;500 €;5;7\n");
  EXPECT_EQ(values(german, 0), (std::vector<float>{848, 43630, 1187}));
  EXPECT_EQ(values(german, 1), (std::vector<float>{1250, 900, 500}));
  EXPECT_EQ(values(german, 2), (std::vector<float>{2.25, 3, 5}));
  const Dataset mixed = load("a;b;c\n1.100;2,25;1.5\n1.101;3;2.5\n1.187;5;1.75\n");
  EXPECT_EQ(values(mixed, 0), (std::vector<float>{1.1f, 1.101f, 1.187f}));
  const Dataset quoted = load("a,b\n\"48,137\",\"5,50\"\n\"48,250\",\"3,25\"\n49,7\n");
  EXPECT_EQ(values(quoted, 0), (std::vector<float>{48.137f, 48.25f, 49}));
  EXPECT_EQ(load("a;b\n848;2\n43.630;3\n1.187;5\n").notes,
            (Strings{"column \"a\": 1.234 is not read as 1234; where points separate thousands, "
                     "take them out"}));
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
TEST_F(DataColumns, NumbersInParenthesesAreBelowZero) {
  EXPECT_EQ(values(column({"97.5", "(2.5)", "3", "(1,234.5)"}), 1),
            (std::vector<float>{97.5, -2.5, 3, -1234.5}));
  EXPECT_EQ(values(column({"$5", "($2.50)", "$(3)", "$ (4)"}), 1),
            (std::vector<float>{5, -2.5, -3, -4}));
  EXPECT_EQ(values(column({"5 %", "(2.5%)", "7%"}), 1), (std::vector<float>{5, -2.5, 7}));
  for (const Strings& texts :
       {Strings{"a (1)", "b (2)", "a (1)", "b (2)"}, Strings{"(a)", "(b)", "(a)", "(b)"},
        Strings{"(-1)", "(-2)", "(-1)", "(-2)"}}) {
    EXPECT_EQ(column(texts).plan.columns[1].kind, ColumnKind::kCategorical) << texts[0];
  }
}

TEST_F(DataColumns, ACurrencyMayBeRare) {
  EXPECT_EQ(values(column({"0", "$4.99", "0", "0", "$1,250", "0"}), 1),
            (std::vector<float>{0, 4.99f, 0, 0, 1250, 0}));
  EXPECT_EQ(column({"0", "$4.99", "0", "€1", "0", "$2", "0", "€3"}).plan.columns[1].kind,
            ColumnKind::kCategorical);
}

TEST_F(DataColumns, BoundsAreTheirNumbersAmongNumbers) {
  const Dataset d =
      column({"0.5", "<0.1", "2.5", "1.25", ">= 3", "< 0.1", "2", "3.5", "1", "0.75"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{0.5, 0.1f, 2.5, 1.25, 3, 0.1f, 2, 3.5, 1, 0.75}));
  EXPECT_EQ(d.notes,
            (Strings{"column \"x\": \"<0.1\" is read as its number, as 3 bounds are; --categorical "
                     "keeps them apart"}));
  EXPECT_EQ(values(column({"5 mg", "<1 mg", "2 mg", "3 mg"}), 1), (std::vector<float>{5, 1, 2, 3}));
  for (const Strings& texts : {Strings{"<10", "10-20", ">20", "<10", "10-20", ">20"},
                               Strings{"<=50K", ">50K", "<=50K", ">50K"},
                               Strings{"1", "2", ">2", "1", "2", ">2", "1", ">2", "2", "1"}}) {
    EXPECT_EQ(column(texts).plan.columns[1].kind, ColumnKind::kCategorical) << texts[0];
  }
}

TEST_F(DataColumns, ANumberThatMayStandForAGapIsSaid) {
  const auto note = [](const std::string& number) {
    return Strings{"column \"x\": " + number +
                   " in 3 rows is far from all other values; if it means a gap use --missing " +
                   number};
  };
  EXPECT_EQ(column({"5", "-999", "12", "-999", "7", "-999.0"}).notes, note("-999"));
  EXPECT_EQ(column({"1", "99", "5", "99", "4", "99"}).notes, note("99"));
  EXPECT_EQ(column({"61", "99", "45", "99", "4", "99"}).notes, Strings{});
  EXPECT_EQ(column({"5", "-999", "12", "8", "7", "-999"}).notes, Strings{});
  EXPECT_EQ(column({"5", "-1000", "12", "-1000", "7", "-1000"}).notes, Strings{});
}

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

// Float32 has steps of 512 there.
TEST_F(DataColumns, CoordinatesHaveASign) {
  const Dataset d = column({"40.5N", "3.25S", "12.5N", "0S", "7N"});
  EXPECT_EQ(values(d, 1), (std::vector<float>{40.5f, -3.25f, 12.5f, 0, 7}));
  EXPECT_EQ(d.notes, (Strings{"numbers are read without separators of thousands and units: x "
                              "(12.5S is -12.5)"}));
  EXPECT_EQ(values(column({"10.33E", "3\u00B0 W", "7.5\u00B0W", "100.5 \u00B0E"}), 1),
            (std::vector<float>{10.33f, -3, -7.5f, 100.5f}));
  EXPECT_EQ(values(column({"40,5N", "3,25S", "12,5N"}), 1),
            (std::vector<float>{40.5f, -3.25f, 12.5f}));
  for (const Strings& texts :
       {Strings{"12N", "12E"}, Strings{"12N", "12W"}, Strings{"12n", "12S"}}) {
    EXPECT_EQ(column({texts[0], texts[1], texts[0], texts[1]}).plan.columns[1].kind,
              ColumnKind::kCategorical)
        << texts[1];
  }
  EXPECT_EQ(values(column({"5 N", "12 N", "40 N"}), 1), (std::vector<float>{5, 12, 40}));
}

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
        Strings{"1700000000", "1700000047.25", "1700000029.5"}, Strings{"52.5", "7.25", "-1"},
        Strings{"61623", "-1234567", "10001"}}) {
    const Dataset d = column(texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      const TableColumn& x = d.plan.columns[1];
      EXPECT_EQ(value_text(x, values(d, 1)[i] + x.offset), texts[i]);
    }
  }
}

}  // namespace
}  // namespace glgnn
