// From what a person typed to what fit() takes: data read, split chosen, settings resolved.
#pragma once

#include <glgnn/fit_dataset.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace glgnn::cli {

struct DataOptions {
  std::string data, label, id, graph, split;
  std::string categorical, numeric, drop;  // columns with commas between them
  std::string format;                      // of a file whose name does not say it
  std::vector<std::string> missing;        // words that mean a gap
  std::optional<double> test_fraction, val_fraction;
  std::optional<int64_t> run;  // which of the splits that come with the data

  bool fractions_given() const { return test_fraction || val_fraction; }
  void add_to(CLI::App& app);          // all but `data`, `graph` and `run`
  void add_columns_to(CLI::App& app);  // those of them that name columns
};

// The data with the graph that `graph` asks for: a file, "none", or empty for the set's own. Shows
// how far it is with large files, unless `quiet`.
Dataset load_data(const DataOptions& options, bool quiet = false, int threads = 1);

// Whether --graph known or unknown (`graph`) asks for the dataset's own graph; kUsage where it is
// another word, or where there is none.
bool wants_own_graph(const std::string& graph, const Dataset& dataset);

// The split the person asked for: one that came with the data, or one made by fractions (without
// any word: every labelled row is used, and a fifth of them validates).
Split choose_split(const Dataset& dataset, const DataOptions& options, uint64_t seed);

// One split by fractions of the labelled rows, each class in proportion.
Split split_by_fractions(const Dataset& dataset, const DataOptions& options, uint64_t seed);

// kData, with what would help, when training needs more memory than there is.
void check_memory(int64_t needed, const Config& config);

// The rows of `rows` whose label is known.
std::vector<int32_t> labelled_rows(const std::vector<int32_t>& labels,
                                   const std::vector<int32_t>& rows);

// How far a large file has been read: on a terminal a line that redraws in place, elsewhere a plain
// line now and then. Nothing is shown of files that are read at once.

class ReadingProgress {
 public:
  ReadingProgress(std::string file, bool quiet);
  ~ReadingProgress();  // takes the line off a terminal
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

  void update(double part);

 private:
  using Clock = std::chrono::steady_clock;

  std::string file_;
  bool quiet_, on_terminal_, drawn_ = false;
  Clock::time_point due_;
};

}  // namespace glgnn::cli
