#include <algorithm>
#include <cctype>
#include <cmath>

#include "data/edge_list.h"
#include "data/features.h"
#include "data/formats.h"
#include "data/line_reader.h"
#include "data/message.h"
#include "data/text_rows.h"

namespace glgnn {
namespace {

struct Header {
  bool coordinates = true;
  bool pattern = false;    // no values: all are 1
  bool symmetric = false;  // the lower triangle is given
  bool skew = false;       // ... and the upper one has the other sign
  int64_t rows = 0, cols = 0, entries = 0;
};

std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string> words;
  for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : lines_(path) { read_header(); }

  Header header;

  // Calls visit(row, column, value) for each entry that is written, rows and columns from 0.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (int64_t e = 0; e < header.entries; ++e) {
      const std::vector<std::string> words = need_line(e);
      if (!header.coordinates) {
        if (words.size() != 1) bad_entry(words);
        visit(e % header.rows, e / header.rows, value(words[0]));  // column by column
        continue;
      }
      if (words.size() != (header.pattern ? 2u : 3u)) bad_entry(words);
      visit(index(words[0], header.rows), index(words[1], header.cols),
            header.pattern ? 1.0f : value(words[2]));
    }
    if (const auto more = next_words(); !more.empty()) {
      fail(ErrorKind::kData, place(),
           {"more entries than the header says", more[0], counted(header.entries, "entry line"),
            "correct the third number below the header, or remove lines"});
    }
  }

  Place place() const { return {lines_.path(), lines_.line()}; }

 private:
  // The words of the next line that is neither empty nor a comment; none at the end.
  std::vector<std::string> next_words() {
    for (std::string_view line; lines_.next(line);) {
      if (line.starts_with('%')) continue;
      if (std::vector<std::string> words = words_of(line); !words.empty()) return words;
    }
    return {};
  }

  std::vector<std::string> need_line(int64_t read) {
    std::vector<std::string> words = next_words();
    if (words.empty()) {
      fail(ErrorKind::kData, place(),
           {"the file ends too early", counted(read, "entry line"),
            std::to_string(header.entries) + " as its header says",
            "check that the file was written completely"});
    }
    return words;
  }

  void read_header() {
    std::string_view line;
    lines_.next(line);
    std::vector<std::string> words = words_of(line);
    for (std::string& word : words) {
      std::transform(word.begin(), word.end(), word.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    const auto is = [&](size_t i, const char* word) {
      return words.size() > i && words[i] == word;
    };
    header.coordinates = is(2, "coordinate");
    header.pattern = is(3, "pattern");
    header.skew = is(4, "skew-symmetric");
    header.symmetric = header.skew || is(4, "symmetric");
    const bool fits = is(0, "%%matrixmarket") && is(1, "matrix") &&
                      (header.coordinates || is(2, "array")) &&
                      (is(3, "real") || is(3, "integer") || header.pattern) &&
                      (is(4, "general") || header.symmetric) &&
                      (header.coordinates || (!header.pattern && !header.symmetric));
    if (!fits) {
      fail(ErrorKind::kData, {lines_.path(), 1},
           {"not a matrix that can be read",
            std::string(line.substr(0, std::min(line.find_first_of("\r\n"), line.size()))),
            "%%MatrixMarket matrix, then coordinate or array, then real, integer or pattern, then "
            "general or symmetric",
            "write it with scipy.io.mmwrite"});
    }
    read_sizes();
  }

  void read_sizes() {
    const std::vector<std::string> words = next_words();
    const size_t count = header.coordinates ? 3 : 2;
    bool fits = words.size() == count && parse_integer(words[0], header.rows) &&
                parse_integer(words[1], header.cols);
    if (fits && header.coordinates) fits = parse_integer(words[2], header.entries);
    fits = fits && (!header.symmetric || header.rows == header.cols) && header.rows > 0 &&
           header.cols > 0 && header.entries >= 0 && header.rows <= INT32_MAX &&
           header.cols <= INT32_MAX;
    if (!fits) {
      fail(ErrorKind::kData, place(),
           {"the sizes are wrong", listed(words),
            header.coordinates ? "rows, columns and entries" : "rows and columns",
            "write the matrix again"});
    }
    if (!header.coordinates) header.entries = header.rows * header.cols;
  }

  int64_t index(const std::string& text, int64_t size) const {
    int64_t number = 0;
    if (!parse_integer(text, number) || number < 1 || number > size) {
      fail(ErrorKind::kData, place(),
           {"an entry outside of the matrix", text, "a number from 1 to " + std::to_string(size),
            "correct the entry or the sizes below the header"});
    }
    return number - 1;
  }

  float value(const std::string& text) const {
    double number = 0;
    if (!parse_number(text, number) || !std::isfinite(static_cast<float>(number))) {
      fail(ErrorKind::kData, place(),
           {"not a finite number", text, "a number that fits into float32",
            "correct or remove the entry"});
    }
    return static_cast<float>(number);
  }

  [[noreturn]] void bad_entry(const std::vector<std::string>& words) const {
    fail(ErrorKind::kData, place(),
         {"not an entry", counted(static_cast<int64_t>(words.size()), "field"),
          !header.coordinates ? "one number"
          : header.pattern    ? "a row and a column"
                              : "a row, a column and a value",
          "correct the line"});
  }

  LineReader lines_;
};

}  // namespace

Features read_mtx(const std::filesystem::path& path) {
  Reader reader(path);
  const Header& header = reader.header;
  if (!header.coordinates) {
    // Collected first: sizes in a damaged header must not be trusted with memory.
    std::vector<float> values;
    reader.for_each([&](int64_t, int64_t, float value) { values.push_back(value); });
    check_cells(header.rows, header.cols, {path});
    Features features;
    features.dense = Matrix(header.rows, header.cols);
    for (int64_t i = 0; i < header.rows; ++i) {
      for (int64_t j = 0; j < header.cols; ++j) features.dense[i][j] = values[j * header.rows + i];
    }
    return features;
  }
  struct Entry {
    int64_t row;
    SparseEntry entry;
  };
  std::vector<Entry> entries;
  const auto add = [&](int64_t i, int64_t j, float value) {
    entries.push_back({i, {static_cast<int32_t>(j), value}});
  };
  reader.for_each([&](int64_t i, int64_t j, float value) {
    add(i, j, value);
    if (header.symmetric && i != j) add(j, i, header.skew ? -value : value);
  });
  // Only now is it seen how many entries there are.
  check_rows(header.rows, header.entries, {path});
  check_columns(header.cols, header.entries, {path});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row < b.row; });
  SparseBuilder builder(header.cols);
  std::vector<SparseEntry> row;
  for (size_t e = 0; builder.rows() < header.rows;) {
    row.clear();
    for (; e < entries.size() && entries[e].row == builder.rows(); ++e) {
      row.push_back(entries[e].entry);
    }
    builder.add(row);
  }
  return builder.take();
}

EdgeList read_mtx_edges(const std::filesystem::path& path, int64_t rows) {
  Reader reader(path);
  const Header& header = reader.header;
  check_graph_size(header.rows, header.cols, rows, path);
  EdgeList list;
  reader.for_each([&](int64_t i, int64_t j, float value) {
    if (value < 0) bad_weight(std::to_string(value), reader.place());
    list.add(i, j, value);
  });
  return list;
}

}  // namespace glgnn
