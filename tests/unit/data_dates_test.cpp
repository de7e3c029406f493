// How dates and months of a table are written, and what they are read as.
#include "data/data.h"
#include "data/dates.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

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

TEST_F(DataColumns, DatesMayNameTheirDayOfTheWeek) {
  for (const Strings& dates :
       {Strings{"Fri, 02 Jan 1970 00:00:00 +0000", "Thu, 29 Feb 2024 12:00:00 +0000"},
        Strings{"Friday, January 2, 1970", "Thursday, February 29, 2024 12:00"},
        Strings{"Fri 2 Jan 1970", "thu 29 feb 2024 12:00"}}) {
    EXPECT_EQ(values(column({dates[0], dates[1], dates[0]}), 1),
              (std::vector<float>{1, 19782.5f, 1}))
        << dates[0];
  }
  EXPECT_EQ(column({"Fri, may be", "Sat 5", "Fri, may be", "Sat 5"}).plan.columns[1].kind,
            ColumnKind::kCategorical);
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

// 2021-01-01, 2021-04-01 and 2021-10-01.
const std::vector<float> kQuarters{18628, 18718, 18901};

TEST_F(DataColumns, MonthsAndQuartersAreTheirFirstDays) {
  for (const Strings& months :
       {Strings{"2021-01", "2021-04", "2021-10"}, Strings{"2021/01", "2021/04", "2021/10"},
        Strings{"01/2021", "04/2021", "10/2021"}, Strings{"1/2021", "4/2021", "10/2021"},
        Strings{"01-2021", "04-2021", "10-2021"}, Strings{"Jan 2021", "apr 2021", "October, 2021"},
        Strings{"2021-Jan", "2021-Apr", "2021-Oct"}, Strings{"2021 Jan", "2021 Apr", "2021 Oct"},
        Strings{"2021Q1", "2021q2", "2021Q4"}, Strings{"2021-Q1", "2021-Q2", "2021-Q4"},
        Strings{"2021 Q1", "2021 Q2", "2021 Q4"}, Strings{"Q1 2021", "Q2 2021", "Q4 2021"},
        Strings{"2021-01", "2021-04-01", "Oct 2021"}}) {
    const Dataset d = column(months);
    EXPECT_EQ(d.plan.columns[1].kind, ColumnKind::kDate) << months[0];
    EXPECT_EQ(values(d, 1), kQuarters) << months[0];
    EXPECT_EQ(d.notes, (Strings{"dates become days since 1970-01-01: x"}));
  }
  EXPECT_TRUE(begins(error(ErrorKind::kData, "n,x\n1,2021-01\n2,2021-04\n3,2021-14\n"),
                     "t.csv:4: column \"x\": not a date: found \"2021-14\""));
}

TEST_F(DataColumns, WhatIsNoMonthStaysALevel) {
  for (const Strings& texts :
       {Strings{"2009-10", "2010-11", "2011-12"}, Strings{"2010/11", "2011/12", "2012/13"},
        Strings{"9021-01", "9021-04", "9022-04"}, Strings{"2021-1", "2021-2", "2022-1"},
        Strings{"May 21", "May 22", "Jun 22"}, Strings{"2021Q5", "2021Q6", "2022Q5"},
        Strings{"Mayor 2021", "Mayor 2022", "Mayor 2023"}}) {
    EXPECT_EQ(
        column({texts[0], texts[1], texts[2], texts[0], texts[1], texts[2]}).plan.columns[1].kind,
        ColumnKind::kCategorical)
        << texts[0];
  }
  // Seasons of football, of which only some could be months, and months among which are such pairs.
  EXPECT_TRUE(column({"2009-10", "2010-11", "2011-12", "2012-13", "2009-10", "2010-11", "2011-12",
                      "2011-12", "2011-12", "2009-10"})
                  .notes.size() == 1);
  EXPECT_EQ(values(column({"2010-10", "2010-11", "2010-12"}), 1),
            (std::vector<float>{14883, 14914, 14944}));
}

TEST_F(DataColumns, TheYearMayStandBehindTheTime) {
  for (const std::string date : {"Fri Jan  2 12:00:00 1970", "Fri Jan 02 12:00:00 UTC 1970",
                                 "Fri Jan 02 14:00:00 +0200 1970", "Jan 2 12:00:00 1970"}) {
    EXPECT_EQ(values(column({date, "Thu Feb 29 00:00:00 2024", date}), 1),
              (std::vector<float>{1.5, 19782, 1.5}))
        << date;
  }
}

}  // namespace
}  // namespace glgnn
