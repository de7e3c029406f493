// Reads a file of n and one of 2n lines of every kind, under valgrind's callgrind, which writes the
// instructions of each reading to a file of its own (check_growth.py compares them).
#include <glgnn/data.h>
#include <glgnn/new_rows.h>
#include <valgrind/callgrind.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "data/formats.h"
#include "data/text_rows.h"

namespace glgnn {
namespace {

std::string text_of(int64_t lines, const std::function<std::string(int64_t)>& line) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) text += line(i);
  return text;
}

std::string number(int64_t i) { return std::to_string(i); }

std::string table(int64_t lines) {
  return "a,b,when,k\n" + text_of(lines, [](int64_t i) {
           return number(i * 7919 % 1009) + "." + number(i % 10) + ",level " + number(i % 12) +
                  ",2024-05-" + number(10 + i % 20) + (i % 2 == 0 ? ",u\n" : ",v\n");
         });
}

std::string edges(int64_t lines, int64_t rows, const char* separator, bool weighted) {
  return text_of(lines, [&](int64_t i) {
    return number(i % rows) + separator + number((i * 31 + 1) % rows) +
           (weighted ? std::string(separator) + "0.5\n" : "\n");
  });
}

std::string graphml(int64_t lines, int64_t rows) {
  return "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\"/><graph>\n" +
         text_of(rows, [](int64_t i) { return "<node id=\"" + number(i) + "\"/>\n"; }) +
         text_of(lines,
                 [&](int64_t i) {
                   return "<edge source=\"" + number(i % rows) + "\" target=\"" +
                          number((i * 31 + 1) % rows) + "\"><data key=\"w\">0.5</data></edge>\n";
                 }) +
         "</graph></graphml>\n";
}

std::string wide_table(int64_t columns) {
  std::string names = "k", row = "u", other = "v";
  for (int64_t j = 0; j < columns; ++j) {
    names += ",c" + number(j);
    row += "," + number(j % 10);
    other += "," + number(j % 10 + 1);
  }
  return names + "\n" + row + "\n" + other + "\n" + row + "\n" + other + "\n";
}

class Growth {
 public:
  explicit Growth(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // `make` gives the text of a size, `read` reads the file.
  void measure(const std::string& name, const std::string& file, int64_t size,
               const std::function<std::string(int64_t)>& make,
               const std::function<void(const std::string&)>& read) const {
    for (const int64_t factor : {1, 2}) {
      const std::string path = (folder_ / file).string(), label = name + " " + number(factor);
      std::ofstream(path, std::ios::binary) << make(factor * size);
      CALLGRIND_ZERO_STATS;
      CALLGRIND_TOGGLE_COLLECT;
      read(path);
      CALLGRIND_TOGGLE_COLLECT;
      CALLGRIND_DUMP_STATS_AT(label.c_str());
    }
  }

  std::string write(const std::string& file, const std::string& text) const {
    const std::string path = (folder_ / file).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

std::string zipped(const std::string& text, const std::string& path) {
  gzFile const file = gzopen(path.c_str(), "wb1");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void measure_all(const std::filesystem::path& folder) {
  constexpr int64_t kLines = 1000, kRows = 200;
  const Growth growth(folder);
  const auto load = [](const std::string& path) { load_dataset(path); };
  const auto load_labelled = [](const std::string& path) { load_dataset(path, {.label = "k"}); };
  growth.measure("csv", "x.csv", kLines, table, load_labelled);
  growth.measure(
      "csv_gz", "x.csv.gz", kLines,
      [&](int64_t n) { return zipped(table(n), (folder / "z").string()); }, load_labelled);
  growth.measure("csv_wide", "w.csv", kLines, wide_table, load_labelled);
  // Where the text begins, behind several of the pieces in which it is read.
  growth.measure(
      "csv_blanks_before", "b.csv", 1'000'000,
      [](int64_t n) { return std::string(static_cast<size_t>(n), ' ') + "\na,k\n"; },
      [](const std::string& path) { TextRows rows(path); });
  growth.measure(
      "csv_long_line", "l.csv", 300'000,
      [](int64_t n) {
        return table(9) + "1,\"" + std::string(static_cast<size_t>(n), 'x') + "\",2024-05-11,u\n";
      },
      load_labelled);
  growth.measure(
      "svm", "x.svm", kLines,
      [](int64_t n) {
        return text_of(n, [](int64_t i) {
          return number(i % 2) + " 1:" + number(i % 9 + 1) + " " + number(i % 50 + 2) + ":1\n";
        });
      },
      load);
  growth.measure(
      "mtx", "x.mtx", kLines,
      [](int64_t n) {
        return "%%MatrixMarket matrix coordinate real general\n" + number(n) + " 9 " + number(n) +
               "\n" + text_of(n, [](int64_t i) {
                 return number(i + 1) + " " + number(i % 9 + 1) + " 0.5\n";
               });
      },
      load);
  const std::string rows = growth.write("rows.csv", table(kRows));
  const Dataset dataset = load_dataset(rows, {.label = "k"});
  const auto graph = [&](const std::string& path) {
    Dataset copy = dataset;
    read_graph(copy, path);
  };
  growth.measure(
      "edges", "g.csv", kLines, [](int64_t n) { return edges(n, kRows, ",", true); }, graph);
  growth.measure(
      "graphml", "g.graphml", kLines, [](int64_t n) { return graphml(n, kRows); }, graph);
  const auto part = [](int64_t n) {
    return "id,part\n" + text_of(n, [](int64_t i) { return number(i) + ",train\n"; });
  };
  const Dataset many = load_dataset(growth.write("many.csv", table(2 * kLines)), {.label = "k"});
  growth.measure("split", "s.csv", kLines, part,
                 [&](const std::string& path) { read_split(many, path); });
  growth.measure("new_rows", "n.csv", kLines, table, [&](const std::string& path) {
    NewRows found(path, dataset.plan, dataset.class_names);
    for (RowBlock block; found.next(block);) {
    }
  });
  growth.measure("new_rows_wide", "v.csv", kLines, wide_table, [&](const std::string& path) {
    const Dataset wide = load_dataset(path, {.label = "k"});
    NewRows found(path, wide.plan, wide.class_names);
    for (RowBlock block; found.next(block);) {
    }
  });
}

}  // namespace
}  // namespace glgnn

int main(int, char** argv) { glgnn::measure_all(argv[1]); }
