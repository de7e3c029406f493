#include "train/rows_over_ranks.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "kernels/propagate.h"
#include "modules/soft_labels.h"
#include "modules/spread.h"

namespace glgnn {
namespace {

// Two to sixteen blocks of the tiles: large enough to hide its transfer, a sixteenth of a rank's
// own rows where it can be.
int64_t rows_of_piece(int64_t all_rows, int ranks) {
  constexpr int64_t kBlock = 6 * cpu::OwnRows::kStep;
  return std::clamp<int64_t>(all_rows / ranks / 16 / kBlock, 2, 16) * kBlock;
}

class Choosing final : public PairWork {
 public:
  Choosing(MatView<const float> own, int64_t first, const ApartOptions& options, int threads)
      : z_(own), first_(first), options_(options), rows_(own, first, options, threads) {}

  void compare_own() override {
    rows_.compare_own();
    floors_ = rows_.floors();
  }

  std::string pack(const RowRange& rows) const override {
    const int64_t begin = rows.begin - first_;
    std::string bytes;
    append(bytes, floors_.data() + begin, static_cast<size_t>(rows.size()));
    append(bytes, z_[begin], static_cast<size_t>(rows.size() * z_.cols));
    return bytes;
  }

  std::string host(const RowRange& visitors, const std::string& packed,
                   const RowRange& own) override {
    Letter letter(packed);
    const auto* floors = letter.view<float>(static_cast<size_t>(visitors.size()));
    const auto* z = letter.view<float>(static_cast<size_t>(visitors.size() * z_.cols));
    const FoundAway found = rows_.host({{z, visitors.size(), z_.cols}, visitors.begin, floors},
                                       own.begin - first_, own.end - first_);
    std::string bytes;
    const std::vector<uint16_t> count(found.count.begin(), found.count.end());
    append(bytes, count.data(), count.size());
    append(bytes, found.column.data(), found.column.size());
    append(bytes, found.t.data(), found.t.size());
    append(bytes, found.top.data(), found.top.size());
    append(bytes, found.sum.data(), found.sum.size());
    return bytes;
  }

  void take(const RowRange& own, const std::string& bytes) override {
    Letter letter(bytes);
    const auto rows = static_cast<size_t>(own.size());
    const auto count = letter.take<uint16_t>(rows);
    size_t pairs = 0;
    for (const uint16_t c : count) pairs += c;
    FoundAway found{.count = {count.begin(), count.end()},
                    .column = letter.take<int32_t>(pairs),
                    .t = letter.take<float>(pairs),
                    .top = {},
                    .sum = {}};
    if (options_.wants_lse) {
      found.top = letter.take<float>(rows);
      found.sum = letter.take<double>(rows);
    }
    rows_.take(found, own.begin - first_);
  }

  void finish(OwnNeighbours& to) {
    const auto rows = static_cast<size_t>(z_.rows), pairs = rows * static_cast<size_t>(to.wide);
    to.col.resize(pairs);
    to.t.resize(pairs);
    to.count.resize(rows);
    if (options_.wants_lse) to.lse.resize(rows);
    rows_.finish(to.col.data(), to.t.data(), to.count.data(),
                 options_.wants_lse ? to.lse.data() : nullptr);
  }

 private:
  MatView<const float> z_;
  int64_t first_;
  ApartOptions options_;
  cpu::OwnRows rows_;
  std::vector<float> floors_;
};

class Gradient final : public PairWork {
 public:
  Gradient(MatView<const float> own, int64_t first, const float* lse, const float* d_lse,
           int threads)
      : z_(own), first_(first), lse_(lse), d_lse_(d_lse), rows_(own, lse, d_lse, threads) {}

  void compare_own() override { rows_.compare_own(); }

  std::string pack(const RowRange& rows) const override {
    const int64_t begin = rows.begin - first_;
    const auto count = static_cast<size_t>(rows.size());
    std::string bytes;
    append(bytes, lse_ + begin, count);
    append(bytes, d_lse_ + begin, count);
    append(bytes, z_[begin], count * static_cast<size_t>(z_.cols));
    return bytes;
  }

  std::string host(const RowRange& visitors, const std::string& packed,
                   const RowRange& own) override {
    Letter letter(packed);
    const auto count = static_cast<size_t>(visitors.size());
    const auto *lse = letter.view<float>(count), *d_lse = letter.view<float>(count);
    const auto* z = letter.view<float>(count * static_cast<size_t>(z_.cols));
    std::vector<float> d_z(count * static_cast<size_t>(z_.cols));
    rows_.host({d_z.data(), visitors.size(), z_.cols}, {z, visitors.size(), z_.cols}, lse, d_lse,
               own.begin - first_, own.end - first_);
    return letter_of(d_z);
  }

  void take(const RowRange& own, const std::string& found) override {
    const auto* d_z = Letter(found).view<float>(static_cast<size_t>(own.size() * z_.cols));
    rows_.take({d_z, own.size(), z_.cols}, own.begin - first_);
  }

  void finish(MatView<float> d_z) { rows_.finish(d_z); }

 private:
  MatView<const float> z_;
  int64_t first_;
  const float *lse_, *d_lse_;
  cpu::OwnGradient rows_;
};

PairOptions options_for(int64_t all_rows, const Ranks& ranks) {
  return {.rows = all_rows,
          .piece = rows_of_piece(all_rows, ranks.count()),
          .step = cpu::OwnRows::kStep};
}

}  // namespace

OwnNeighbours choose_over_ranks(MatView<const float> own, const ApartOptions& options, int threads,
                                Ranks& ranks) {
  const int64_t first = rows_of_rank(options.all_rows, ranks.count(), ranks.self()).begin;
  Choosing work(own, first, options, threads);
  OwnNeighbours found;
  found.wide = std::min(options.k, options.all_rows - 1);
  found.costs = compare_all_pairs(ranks, options_for(options.all_rows, ranks), work);
  work.finish(found);
  return found;
}

PairCosts lse_backward_over_ranks(MatView<float> d_z, const float* d_lse, MatView<const float> own,
                                  const float* lse, int64_t all_rows, int threads, Ranks& ranks) {
  const int64_t first = rows_of_rank(all_rows, ranks.count(), ranks.self()).begin;
  Gradient work(own, first, lse, d_lse, threads);
  const PairCosts costs = compare_all_pairs(ranks, options_for(all_rows, ranks), work);
  work.finish(d_z);
  return costs;
}

namespace {

// For each own row the rows that have it among their neighbours, and its own: a number for each of
// the two directions.
class Votes {
 public:
  Votes(const OwnNeighbours& found, const RowRange& range, int64_t all_rows, Ranks& ranks)
      : of_row_(static_cast<size_t>(range.size())) {
    std::vector<std::vector<int32_t>> pairs(
        static_cast<size_t>(ranks.count()));  // of a rank's rows
    for (int64_t i = 0; i < range.size(); ++i) {
      for (int64_t c = 0; c < found.count[i]; ++c) {
        const int32_t j = found.col[i * found.wide + c];
        of_row_[i].push_back(j);
        auto& theirs = pairs[owner_of(j, all_rows, ranks.count())];
        theirs.push_back(j);
        theirs.push_back(static_cast<int32_t>(range.begin + i));
      }
    }
    std::vector<std::string> letters;
    for (const auto& list : pairs) letters.push_back(letter_of(list));
    for (const std::string& letter : ranks.swap(std::move(letters))) {
      const auto list = Letter(letter).take_rest<int32_t>();
      for (size_t e = 0; e < list.size(); e += 2) {
        of_row_[list[e] - range.begin].push_back(list[e + 1]);
      }
    }
    for (auto& row : of_row_) std::sort(row.begin(), row.end());
  }

  const std::vector<int32_t>& of_row(int64_t i) const { return of_row_[i]; }

 private:
  std::vector<std::vector<int32_t>> of_row_;
};

// Own rows of A + I, by the numbers of all rows: half of a direction is one vote.
Csr joined(const Votes& votes, const RowRange& range) {
  auto pattern = std::make_shared<Pattern>();
  Csr a;
  pattern->rows = range.size();
  for (int64_t i = 0; i < range.size(); ++i) {
    const auto add = [&](int32_t column, float weight) {
      const bool is_new = static_cast<int64_t>(pattern->col.size()) == pattern->row_ptr.back() ||
                          pattern->col.back() != column;
      if (is_new) {
        pattern->col.push_back(column);
        a.values.push_back(weight);
      } else {
        a.values.back() += weight;
      }
    };
    const auto self = static_cast<int32_t>(range.begin + i);
    bool has_self = false;
    for (const int32_t column : votes.of_row(i)) {
      if (!has_self && column > self) add(self, 1.0f), has_self = true;
      add(column, 0.5f);
    }
    if (!has_self) add(self, 1.0f);
    pattern->row_ptr.push_back(static_cast<int64_t>(pattern->col.size()));
  }
  a.pattern = std::move(pattern);
  return a;
}

std::vector<int32_t> columns_of_others(const Csr& a, const RowRange& range) {
  std::vector<int32_t> others;
  for (const int32_t column : a.pattern->col) {
    if (column < range.begin || column >= range.end) others.push_back(column);
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

// Columns become places: own rows from 0, then those of others.
void number_by_place(Csr& a, const RowRange& range, const std::vector<int32_t>& others) {
  auto pattern = std::make_shared<Pattern>(*a.pattern);
  pattern->cols = range.size() + static_cast<int64_t>(others.size());
  for (int32_t& column : pattern->col) {
    if (column >= range.begin && column < range.end) {
      column -= static_cast<int32_t>(range.begin);
    } else {
      const auto at = std::lower_bound(others.begin(), others.end(), column) - others.begin();
      column = static_cast<int32_t>(range.size() + at);
    }
  }
  a.pattern = std::move(pattern);
}

}  // namespace

Matrix rows_by_number(const Matrix& own, const std::vector<int32_t>& numbers, int64_t all_rows,
                      Ranks& ranks) {
  const RowRange range = rows_of_rank(all_rows, ranks.count(), ranks.self());
  const auto width = static_cast<size_t>(own.cols());
  std::string letter;
  for (const int32_t row : numbers) {
    if (row >= range.begin && row < range.end) append(letter, own[row - range.begin], width);
  }
  const auto letters =
      ranks.swap(std::vector<std::string>(static_cast<size_t>(ranks.count()), std::move(letter)));
  std::vector<Letter> open;
  for (const std::string& bytes : letters) open.emplace_back(bytes);
  Matrix out(std::ssize(numbers), own.cols());
  for (int64_t r = 0; r < out.rows(); ++r) {
    Letter& from = open[owner_of(numbers[r], all_rows, ranks.count())];
    std::copy_n(from.view<float>(width), width, out[r]);
  }
  return out;
}

RowsFromOthers::RowsFromOthers(std::vector<int32_t> wanted, int64_t all_rows, Ranks& ranks)
    : ranks_(ranks), wanted_(std::move(wanted)) {
  std::vector<std::string> letters;
  auto at = wanted_.begin();
  for (int rank = 0; rank < ranks.count(); ++rank) {
    const auto end =
        std::lower_bound(at, wanted_.end(), rows_of_rank(all_rows, ranks.count(), rank).end);
    letters.push_back(letter_of(std::vector<int32_t>(at, end)));
    at = end;
  }
  const auto first = rows_of_rank(all_rows, ranks.count(), ranks.self()).begin;
  for (const std::string& letter : ranks.swap(std::move(letters))) {
    given_.push_back(Letter(letter).take_rest<int32_t>());
    for (int32_t& row : given_.back()) row -= static_cast<int32_t>(first);
  }
}

void RowsFromOthers::get(float* wanted, const float* own, int64_t width, int64_t stride,
                         int64_t gap) {
  const auto count = static_cast<size_t>(width);
  std::vector<std::string> letters(given_.size());
  for (size_t rank = 0; rank < given_.size(); ++rank) {
    letters[rank].reserve(given_[rank].size() * count * sizeof(float));
    for (const int32_t row : given_[rank]) append(letters[rank], own + row * stride, count);
  }
  letters = ranks_.swap(std::move(letters));
  for (int rank = 0; rank < ranks_.count(); ++rank) {
    if (rank == ranks_.self()) wanted += gap * stride;
    const size_t rows = letters[rank].size() / sizeof(float) / count;
    Letter letter(letters[rank]);
    for (size_t r = 0; r < rows; ++r, wanted += stride) {
      std::copy_n(letter.view<float>(count), width, wanted);
    }
  }
}

std::vector<std::string> RowsFromOthers::swap_for_rows(
    const std::function<void(int64_t, std::string&)>& write) {
  std::vector<std::string> letters(given_.size());
  for (size_t rank = 0; rank < given_.size(); ++rank) {
    for (const int32_t row : given_[rank]) write(row, letters[rank]);
  }
  return ranks_.swap(std::move(letters));
}

void RowsFromOthers::by_rank(MatView<const float> own,
                             const std::function<void(int, MatView<const float>)>& visit) {
  const int count = ranks_.count(), self = ranks_.self();
  std::unique_ptr<Sending> sending;
  const auto send_to = [&](int rank) {
    std::string letter;
    letter.reserve(given_[rank].size() * static_cast<size_t>(own.cols) * sizeof(float));
    for (const int32_t row : given_[rank]) append(letter, own[row], static_cast<size_t>(own.cols));
    return ranks_.start(rank, Mail::kSwap, std::move(letter));
  };
  for (int step = 0; step < count; ++step) {
    std::unique_ptr<Sending> next;
    if (step + 1 < count) next = send_to((self + count - step - 1) % count);
    if (step == 0) {
      visit(self, own);
    } else {
      const int rank = (self + step) % count;
      const std::string letter = ranks_.wait(rank, Mail::kSwap);
      const auto numbers = letter.size() / sizeof(float);
      visit(rank, {Letter(letter).view<float>(numbers), static_cast<int64_t>(numbers) / own.cols,
                   own.cols});
    }
    while (sending && !sending->done()) std::this_thread::yield();
    sending = std::move(next);
  }
}

GraphOverRanks::GraphOverRanks(const OwnNeighbours& found, int64_t all_rows, Ranks& ranks)
    : range_(rows_of_rank(all_rows, ranks.count(), ranks.self())),
      s_(joined(Votes(found, range_, all_rows, ranks), range_)),
      others_(columns_of_others(s_, range_), all_rows, ranks) {
  number_by_place(s_, range_, others_.numbers());
  const Pattern& pattern = *s_.pattern;
  std::vector<float> factor(static_cast<size_t>(pattern.cols));
  for (int64_t i = 0; i < pattern.rows; ++i) {
    double degree = 0;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) degree += s_.values[e];
    factor[i] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0f;
  }
  others_.get(factor.data() + pattern.rows, factor.data(), 1, 1);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      s_.values[e] *= factor[i] * factor[pattern.col[e]];
    }
  }
}

Matrix GraphOverRanks::propagate(const Matrix& h, int64_t steps, float alpha, int threads) {
  Matrix z(h.rows(), h.cols());
  cpu::propagate(z.view(), s_.pattern->view(), s_.values.data(), h.view(), steps, alpha, threads,
                 [&](float* rows, int64_t stride) {
                   others_.get(rows + h.rows() * stride, rows, h.cols(), stride);
                 });
  return z;
}

Matrix GraphOverRanks::spread_labels(const std::vector<int64_t>& classes, int threads) {
  const int64_t count = *std::max_element(classes.begin(), classes.end()) + 1;
  Matrix h(range_.size(), count);
  for (int64_t i = 0; i < range_.size(); ++i) {
    const int64_t label = classes[range_.begin + i];
    if (label >= 0) h[i][label] = 1;
  }
  Matrix p = propagate(h, kSpreadSteps, static_cast<float>(kSpreadBack), threads);
  normalise_rows(p, std::vector<double>(count, 1.0 / static_cast<double>(count)), threads);
  return p;
}

}  // namespace glgnn
