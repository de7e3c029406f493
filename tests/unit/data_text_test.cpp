// Text files in pieces, plain and gzip.
#include "data/data.h"
#include "data/line_reader.h"
#include "data/text_rows.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Strings = std::vector<std::string>;

TEST(DataText, ReadsGzipAsItIs) {
  const Dataset d = load_dataset(fixture("table.csv.gz"), {.label = "kind", .id = "name"});
  EXPECT_EQ(d.name, "table");
  EXPECT_EQ(d.feature_names, (Strings{"width", "height"}));
  EXPECT_EQ(d.features.dense[1][1], 40.0f);
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, -1, 0}));
}

TEST(DataText, RefusesDamagedGzip) {
  const TempFolder folder;
  const std::string good = bytes_of(fixture("table.csv.gz"));
  const auto error = [&](const std::string& bytes) {
    return folder.error_of(ErrorKind::kData,
                           [&] { load_dataset(folder.write("t.csv.gz", bytes)); });
  };
  EXPECT_EQ(error(good.substr(0, good.size() - 12)),
            "t.csv.gz: truncated or damaged .gz file: found \"unexpected end of file\", expected a "
            "whole gzip file; write or download it again");
  std::string changed = good;
  changed[changed.size() - 5] ^= 1;
  EXPECT_TRUE(begins(error(changed), "t.csv.gz: truncated or damaged .gz file: found \""));
}

TEST(DataText, ReadsLinesAcrossPieces) {
  // Long enough for several pieces, with every kind of line end at every place.
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text = "a,b" + end;
    for (int i = 0; i < 60000; ++i) {
      text += std::to_string(i) + ",\"" + std::to_string(i * 7 % 100) + "\"" + end;
    }
    const TempFolder folder;
    TextRows rows(folder.write("t.csv", text));
    Strings fields;
    ASSERT_TRUE(rows.next(fields));
    for (int i = 0; i < 60000; ++i) {
      ASSERT_TRUE(rows.next(fields));
      ASSERT_EQ(fields, (Strings{std::to_string(i), std::to_string(i * 7 % 100)}));
      ASSERT_EQ(rows.place().line, i + 2);
    }
    EXPECT_FALSE(rows.next(fields));
    EXPECT_EQ(rows.part_read(), 1.0);
  }
}

TEST(DataText, ALineMayBeLongerThanAPiece) {
  const TempFolder folder;
  const std::string field(1000000, 'x');
  TextRows rows(folder.write("t.csv", "\n\na," + field + "\r\n1," + field));
  Strings fields;
  ASSERT_TRUE(rows.next(fields));
  EXPECT_EQ(rows.place().line, 3);
  EXPECT_EQ(fields[1].size(), field.size());
  ASSERT_TRUE(rows.next(fields));
  EXPECT_EQ(fields[1], field);
  EXPECT_FALSE(rows.next(fields));
}

TEST(DataText, ALineEndMayBeCutByAPiece) {
  const TempFolder folder;
  constexpr size_t kPiece = size_t{1} << 18;
  for (size_t size = kPiece - 4; size <= kPiece + 1; ++size) {
    const std::string line(size, 'x');
    LineReader lines(folder.write("t.txt", line + "\r\nsecond\r\n"));
    std::string_view found;
    ASSERT_TRUE(lines.next(found));
    EXPECT_EQ(found, line + "\r\n") << size;
    ASSERT_TRUE(lines.next(found));
    EXPECT_EQ(found, "second\r\n") << size;
    EXPECT_EQ(lines.line(), 2);
  }
}

TEST(DataText, UnderstandsExcelsSeparatorLine) {
  const TempFolder folder;
  const Dataset d =
      load_dataset(folder.write("t.csv", "\xEF\xBB\xBFsep=;\r\na,b;c\r\n1;2\r\n3;5\r\n4;4\r\n"));
  EXPECT_EQ(d.feature_names, (Strings{"a,b", "c"}));
  EXPECT_EQ(d.features.dense[1][1], 5.0f);
}

TEST(DataText, NamesWhatAFileHolds) {
  EXPECT_EQ(content_extension("a/x.CSV.gz"), ".csv");
  EXPECT_EQ(content_extension("x.tsv"), ".tsv");
  EXPECT_EQ(content_extension("x.gz"), "");
  EXPECT_EQ(content_name("a/x.csv.gz"), "x");
  EXPECT_EQ(content_name("a/x.1.csv"), "x.1");
}

}  // namespace
}  // namespace glgnn
