// What several processes do together (train/trainers.h).
#pragma once

#include <glgnn/fit_dataset.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "data/npy.h"
#include "data/text_rows.h"
#include "dist/all_pairs.h"
#include "dist/ranks.h"

namespace glgnn {

// fit_dataset(), all with the same data.
FitResult fit_dataset_over_ranks(Dataset dataset, const Split& split, const Config& config,
                                 const Context& context, const FitOptions& options, Ranks& ranks);

// A file of rows of which each rank reads its own: a matrix in a .npy file; a table of numbers in a
// .csv, .tsv or .tab file or svmlight rows, of which each rank reads its range of bytes. All become
// dense.
class SharedFile {
 public:
  // `label`: the column of a table that has the labels; empty: none. kUsage for other files.
  explicit SharedFile(const std::filesystem::path& path, const std::string& label = "");
  uint64_t sample_hash() const;

  // The rest is for ranks that have agreed to have the same file, all together.
  void count_rows(Ranks& ranks);
  int64_t rows() const { return rows_; }  // of all ranks, once they are counted
  int64_t cols() const;
  // Own rows; and what the label column has for all rows.
  Matrix read_own(Ranks& ranks);
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  std::variant<NpyRows, TableParts> file_;
  int64_t rows_ = 0;
  std::vector<int64_t> first_row_;  // of each rank's bytes
  std::vector<std::string> labels_;
};

// Prepares own rows as one process prepares all: columns with the same value in every row are left
// out, the others scaled, to the same bits. Gives the scaling that was taken.
Scaling prepare_own_rows(Features& own, int64_t all_rows, Scaling asked, Ranks& ranks);

}  // namespace glgnn
