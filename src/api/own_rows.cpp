#include <glgnn/error.h>

#include <algorithm>
#include <string>

#include "api/over_ranks.h"
#include "data/data.h"

namespace glgnn {
namespace {

std::variant<NpyRows, TableParts> open_file(const std::filesystem::path& path,
                                            const std::string& label) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") return NpyRows(path);
  if (extension == ".csv" || extension == ".tsv" || extension == ".tab" || is_svmlight(path)) {
    return TableParts(path, label);
  }
  throw Error(ErrorKind::kUsage,
              path.string() +
                  ": found a file that cannot be read by parts, expected a matrix in a .npy file, "
                  "a table of numbers in a .csv or .tsv file, or svmlight rows in a .svm file; "
                  "write it as one of these");
}

int64_t first_byte(const TableParts& table, int ranks, int rank) {
  return table.bytes() * rank / ranks;
}

std::string packed(const ColumnSums& sums) {
  std::string letter;
  append(letter, &sums.seen, 1);
  append(letter, &sums.is_grey, 1);
  for (const auto* list : {&sums.mean, &sums.squares}) append(letter, list->data(), list->size());
  for (const auto* list : {&sums.first, &sums.low, &sums.high}) {
    append(letter, list->data(), list->size());
  }
  append(letter, sums.varies.data(), sums.varies.size());
  return letter;
}

ColumnSums unpacked(const std::string& bytes, int64_t rows, int64_t columns) {
  ColumnSums sums;
  sums.rows = rows;
  if (bytes.empty()) return sums;
  Letter letter(bytes);
  const auto count = static_cast<size_t>(columns);
  sums.seen = letter.take<int64_t>(1)[0];
  sums.is_grey = letter.take<char>(1)[0] != 0;
  for (auto* list : {&sums.mean, &sums.squares}) *list = letter.take<double>(count);
  for (auto* list : {&sums.first, &sums.low, &sums.high}) *list = letter.take<float>(count);
  sums.varies = letter.take<uint8_t>(count);
  return sums;
}

Matrix columns_that_vary(const Matrix& rows, const std::vector<uint8_t>& varies) {
  std::vector<int64_t> kept;
  for (size_t j = 0; j < varies.size(); ++j) {
    if (varies[j]) kept.push_back(static_cast<int64_t>(j));
  }
  if (std::ssize(kept) == rows.cols()) return rows;
  Matrix out(rows.rows(), std::ssize(kept));
  for (int64_t i = 0; i < rows.rows(); ++i) {
    for (size_t f = 0; f < kept.size(); ++f) out[i][f] = rows[i][kept[f]];
  }
  return out;
}

}  // namespace

SharedFile::SharedFile(const std::filesystem::path& path, const std::string& label)
    : file_(open_file(path, label)) {
  if (const auto* matrix = std::get_if<NpyRows>(&file_)) rows_ = matrix->rows();
}

uint64_t SharedFile::sample_hash() const {
  return std::visit([](const auto& file) { return file.sample_hash(); }, file_);
}

int64_t SharedFile::cols() const {
  return std::visit([](const auto& file) { return file.cols(); }, file_);
}

void SharedFile::count_rows(Ranks& ranks) {
  auto* table = std::get_if<TableParts>(&file_);
  if (!table) return;
  const int count = ranks.count();
  const TableParts::Counted own = table->count(first_byte(*table, count, ranks.self()),
                                               first_byte(*table, count, ranks.self() + 1));
  TableParts::Counted all;
  first_row_.clear();
  for (const std::string& letter :
       ranks.swap(std::vector<std::string>(static_cast<size_t>(count), letter_of(&own, 1)))) {
    const auto theirs = Letter(letter).take<TableParts::Counted>(1)[0];
    first_row_.push_back(all.rows);
    all.rows += theirs.rows;
    all.lowest = std::min(all.lowest, theirs.lowest);
    all.highest = std::max(all.highest, theirs.highest);
  }
  rows_ = all.rows;
  table->set_columns(all);
}

// Own rows are nearly those of own bytes: the rank in whose bytes the first of them begins says
// where to look for it.
Matrix SharedFile::read_own(Ranks& ranks) {
  const RowRange own = rows_of_rank(rows_, ranks.count(), ranks.self());
  if (const auto* matrix = std::get_if<NpyRows>(&file_)) return matrix->read(own.begin, own.end);
  const auto& table = std::get<TableParts>(file_);
  const auto rank = std::upper_bound(first_row_.begin(), first_row_.end(), own.begin) - 1;
  const int64_t from =
      first_byte(table, ranks.count(), static_cast<int>(rank - first_row_.begin()));
  TableParts::Rows rows = table.read(from, own.begin - *rank, own.size(), own.begin);
  std::string texts;
  for (const std::string& label : rows.labels) texts += label + '\n';
  labels_.clear();
  for (const std::string& letter :
       ranks.swap(std::vector<std::string>(static_cast<size_t>(ranks.count()), texts))) {
    for (size_t at = 0; at < letter.size();) {
      const size_t end = letter.find('\n', at);
      labels_.push_back(letter.substr(at, end - at));
      at = end + 1;
    }
  }
  return std::move(rows.numbers);
}

Scaling prepare_own_rows(Features& own, int64_t all_rows, Scaling asked, Ranks& ranks) {
  const auto in_turn = [&](auto&& add) {
    const int64_t columns = own.cols();
    const std::string all = ranks.in_turn([&](const std::string& before) {
      ColumnSums sums = unpacked(before, all_rows, columns);
      add(sums);
      return packed(sums);
    });
    return unpacked(all, all_rows, columns);
  };
  ColumnSums sums = in_turn([&](ColumnSums& s) { s.add(own.dense); });
  own.dense = columns_that_vary(own.dense, sums.varies);
  if (!sums.leave_out_constant()) {
    throw Error(ErrorKind::kData,
                "found the same numbers in every row, expected columns that differ");
  }
  const Scaling scaling = sums.resolve(asked);
  const std::string means = packed(sums);
  sums = in_turn([&](ColumnSums& s) {
    if (ranks.leads()) s = unpacked(means, all_rows, own.cols());
    s.add_squares(own.dense);
  });
  apply_scale(own, sums.scale(scaling));
  return scaling;
}

}  // namespace glgnn
