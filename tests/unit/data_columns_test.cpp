// What the columns of a table are taken for, and what becomes of them.
#include "data/data.h"
#include "data/labels.h"
#include "data/table_header.h"
#include "data/values.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

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
  for (const std::string name : {"Kundennr", "LfdNr.", "Personalnummer", "kdnr"}) {
    EXPECT_EQ(load(name + ",n\n7,3\n2,5\n9,4\n").feature_names, (Strings{"n"})) << name;
  }
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
               "take its values as categories, and a table of texts alone is read by its words"}));
  EXPECT_EQ(column(remarks, {.categorical = {"x"}}).features.cols(), 7);
  EXPECT_EQ(column({"C85", "", "C123", "E46"}).plan.columns[1].kind, ColumnKind::kText)
      << "with gaps it does not name the rows";
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
  for (const std::string gap :  // of MSVC, MySQL, SQL clients, the World Bank, Eurostat
       {"1.#IND", "-1.#IND", "1.#QNAN", "\\N", "(null)", "#NULL!", "..", ":", "---", "–", "—"}) {
    EXPECT_EQ(values(column({"1", gap, "5"}), 1), (std::vector<float>{1, 3, 5})) << gap;
  }
  for (const std::string gap : {"ND", "not detected", "Not available", "n/d"}) {
    EXPECT_EQ(values(column({"1", gap, "5", gap, "2", gap}), 1),
              (std::vector<float>{1, 2, 5, 2, 2, 2}))
        << gap;
  }
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
  for (const int first : {0, 1, 10001}) {
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
  EXPECT_EQ(load("n,k\n1,u\n2,v\n3,<NA>\n4,\\N\n", {.label = "k"}).class_names,
            (Strings{"u", "v"}));
  const std::string minus = "n,k\n1,-1\n2,1\n3,0\n4,-1\n5,0\n";
  const std::string note =
      "the label \"-1\" is a class of 2 rows; --missing -1 would take it as unknown";
  EXPECT_EQ(load(minus, {.label = "k"}).notes.front(), note);
  EXPECT_EQ(load("n,k\n1,-1\n2,1\n3,-2\n4,-1\n5,1\n6,-2\n", {.label = "k"}).notes, Strings{});
  EXPECT_EQ(load("n,k\n1,-1\n2,1\n3,1\n4,-1\n", {.label = "k"}).notes, Strings{});
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

TEST_F(DataColumns, ClassesThatAreNearlyAlikeAreSaid) {
  const Dataset d =
      load("n,k\n1,<=50K\n2,<=50K.\n3,>50K\n4,>50K\n5,Jose\u0301\n6,Jos\u00E9\n", {.label = "k"});
  EXPECT_EQ(d.classes(), 5);
  EXPECT_EQ(
      d.notes[0],
      "classes that are nearly alike: \"<=50K\" (1 row) and \"<=50K.\" (1 row), \"Jose\u0301\" (1 "
      "row) and \"Jos\u00E9\" (1 row); write them alike if they are meant to be one");
  for (const std::string pair :
       {"1,+\n2,++", "1,a-b\n2,ab", "1,C\n2,C#", "1,1.5\n2,15", "1,-1\n2,1", "1,<5\n2,>5",
        "1,\u00E9\n2,\u00E8", "1,had\n2,hAd", "1,r\u00E9sum\u00E9\n2,resume"}) {
    for (const std::string& note : load("n,k\n" + pair + "\n3,x\n4,x\n", {.label = "k"}).notes) {
      EXPECT_EQ(note.find("nearly alike"), std::string::npos) << pair;
    }
  }
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
