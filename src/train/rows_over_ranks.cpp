#include "train/rows_over_ranks.h"

#include <algorithm>
#include <string>

namespace glgnn {
namespace {

// Sixteen blocks of the tiles: large enough to hide its transfer, small beside a rank's own rows.
constexpr int64_t kPieceRows = 96 * cpu::OwnRows::kStep;

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
    const auto floors = letter.take<float>(static_cast<size_t>(visitors.size()));
    const auto z = letter.take<float>(static_cast<size_t>(visitors.size() * z_.cols));
    const FoundAway found =
        rows_.host({{z.data(), visitors.size(), z_.cols}, visitors.begin, floors.data()},
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
    const auto lse = letter.take<float>(count), d_lse = letter.take<float>(count);
    const auto z = letter.take<float>(count * static_cast<size_t>(z_.cols));
    std::vector<float> d_z(z.size());
    rows_.host({d_z.data(), visitors.size(), z_.cols}, {z.data(), visitors.size(), z_.cols},
               lse.data(), d_lse.data(), own.begin - first_, own.end - first_);
    std::string bytes;
    append(bytes, d_z.data(), d_z.size());
    return bytes;
  }

  void take(const RowRange& own, const std::string& found) override {
    const auto d_z = Letter(found).take<float>(static_cast<size_t>(own.size() * z_.cols));
    rows_.take({d_z.data(), own.size(), z_.cols}, own.begin - first_);
  }

  void finish(MatView<float> d_z) { rows_.finish(d_z); }

 private:
  MatView<const float> z_;
  int64_t first_;
  const float *lse_, *d_lse_;
  cpu::OwnGradient rows_;
};

PairOptions options_for(int64_t all_rows) {
  return {.rows = all_rows, .piece = kPieceRows, .step = cpu::OwnRows::kStep};
}

}  // namespace

OwnNeighbours choose_over_ranks(MatView<const float> own, const ApartOptions& options, int threads,
                                Ranks& ranks) {
  const int64_t first = rows_of_rank(options.all_rows, ranks.count(), ranks.self()).begin;
  Choosing work(own, first, options, threads);
  OwnNeighbours found;
  found.wide = std::min(options.k, options.all_rows - 1);
  found.costs = compare_all_pairs(ranks, options_for(options.all_rows), work);
  work.finish(found);
  return found;
}

PairCosts lse_backward_over_ranks(MatView<float> d_z, const float* d_lse, MatView<const float> own,
                                  const float* lse, int64_t all_rows, int threads, Ranks& ranks) {
  const int64_t first = rows_of_rank(all_rows, ranks.count(), ranks.self()).begin;
  Gradient work(own, first, lse, d_lse, threads);
  const PairCosts costs = compare_all_pairs(ranks, options_for(all_rows), work);
  work.finish(d_z);
  return costs;
}

}  // namespace glgnn
