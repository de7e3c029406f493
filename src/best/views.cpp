#include "best/views.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "best/svd.h"

namespace glgnn {
namespace {

// The stored numbers of row i: all of them, or those a sparse row has.
template <class F>
auto row_of(F& features, int64_t i) {
  struct Row {
    decltype(&features.dense[0][0]) values;
    int64_t size;
    const int32_t* col;  // null: column = position
    int64_t column(int64_t e) const { return col ? col[e] : e; }
  };
  if (!features.is_sparse) return Row{features.dense[i], features.dense.cols(), nullptr};
  const Pattern& pattern = *features.sparse.pattern;
  const int64_t begin = pattern.row_ptr[i];
  return Row{features.sparse.values.data() + begin, pattern.row_ptr[i + 1] - begin,
             pattern.col.data() + begin};
}

Features divided_by_largest(Features x) {
  float largest = 0;
  std::vector<float>& sparse = x.sparse.values;
  const auto stored = x.is_sparse
                          ? MatView<float>{sparse.data(), 1, static_cast<int64_t>(sparse.size())}
                          : x.dense.view();
  for (int64_t e = 0; e < stored.size(); ++e) largest = std::max(largest, std::abs(stored.data[e]));
  for (int64_t e = 0; e < stored.size() && largest > 0; ++e) stored.data[e] /= largest;
  return x;
}

Features unit(Features x) {
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    double squares = 0;
    for (int64_t e = 0; e < row.size; ++e) squares += double{row.values[e]} * row.values[e];
    const double size = std::sqrt(squares);
    for (int64_t e = 0; e < row.size && size > 0; ++e) {
      row.values[e] = static_cast<float>(row.values[e] / size);
    }
  }
  return x;
}

Features tfidf(Features x) {
  std::vector<double> rows_with(x.cols(), 0.0);
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    for (int64_t e = 0; e < row.size; ++e) rows_with[row.column(e)] += row.values[e] != 0;
  }
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    for (int64_t e = 0; e < row.size; ++e) {
      const double rare =
          std::log((1.0 + static_cast<double>(x.rows())) / (1 + rows_with[row.column(e)]));
      row.values[e] = static_cast<float>(row.values[e] * (rare + 1));
    }
  }
  return unit(std::move(x));
}

// Sparse features with their zeros.
Features with_zeros(const Features& x) {
  Features out;
  out.dense = Matrix(x.rows(), x.cols());
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    for (int64_t e = 0; e < row.size; ++e) out.dense[i][row.column(e)] = row.values[e];
  }
  return out;
}

Features standard(Features x) {
  const double n = static_cast<double>(x.rows());
  for (int64_t f = 0; f < x.cols(); ++f) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < x.rows(); ++i) sum += x.dense[i][f];
    const double mean = sum / n;
    for (int64_t i = 0; i < x.rows(); ++i) {
      const double apart = x.dense[i][f] - mean;
      squares += apart * apart;
    }
    const double spread = std::sqrt(squares / n);
    const bool varies = spread > 1e-7 * std::max(1e-30, std::abs(mean));
    for (int64_t i = 0; i < x.rows(); ++i) {
      x.dense[i][f] = varies ? static_cast<float>((x.dense[i][f] - mean) / spread) : 0.0f;
    }
  }
  return x;
}

// The number that a standard normal variable stays below with probability p: Newton's method on
// erfc, from a rational start (Hastings 1955, formula 26.2.23 in Abramowitz and Stegun).
double normal_score(double p) {
  const double tail = std::min(p, 1 - p);
  const double t = std::sqrt(-2 * std::log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 3; ++step) {
    const double above = 0.5 * std::erfc(x / std::sqrt(2.0));
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    x += (above - tail) / density;
  }
  return p < 0.5 ? -x : x;
}

Features rank(Features x) {
  const int64_t n = x.rows();
  std::vector<int64_t> order(n);
  std::vector<float> column(n);
  for (int64_t f = 0; f < x.cols(); ++f) {
    for (int64_t i = 0; i < n; ++i) column[i] = x.dense[i][f];
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return column[a] < column[b]; });
    for (int64_t first = 0; first < n;) {
      int64_t last = first;
      while (last < n && column[order[last]] == column[order[first]]) ++last;
      // Equal numbers share their mean rank; a constant column becomes zero.
      const double middle = 0.5 * static_cast<double>(first + last);
      const auto score = static_cast<float>(normal_score(middle / static_cast<double>(n)));
      for (int64_t r = first; r < last; ++r) x.dense[order[r]][f] = score;
      first = last;
    }
  }
  return x;
}

}  // namespace

std::string view_name(View view) {
  constexpr const char* kNames[] = {"raw",   "standard", "rank",  "unit",
                                    "tfidf", "svd16",    "svd32", "svd64"};
  return kNames[static_cast<int>(view)];
}

const Features& Views::get(View view) {
  const std::scoped_lock lock(mutex_);
  const auto found = made_.find(view);
  return found != made_.end() ? found->second : make(view);
}

const Features& Views::make(View view) {
  const auto svd = [&](int64_t rank_kept) {
    const Features& base = get(raw_.is_sparse ? View::kTfidf : View::kStandard);
    Features out;
    out.dense = leading_directions(base, rank_kept, threads_);
    return out;
  };
  const bool stays_sparse = raw_.is_sparse && raw_.cols() > kMostDenseColumns;
  Features out;
  switch (view) {
    case View::kRaw:
      out = divided_by_largest(raw_);
      break;
    case View::kStandard:
      out = stays_sparse ? divided_by_largest(raw_) : standard(with_zeros(raw_));
      break;
    case View::kRank:
      out = stays_sparse ? divided_by_largest(raw_) : rank(with_zeros(raw_));
      break;
    case View::kUnit:
      out = unit(raw_);
      break;
    case View::kTfidf:
      out = tfidf(raw_);
      break;
    case View::kSvd16:
      out = svd(16);
      break;
    case View::kSvd32:
      out = svd(32);
      break;
    case View::kSvd64:
      out = svd(64);
      break;
  }
  return made_.emplace(view, std::move(out)).first->second;
}

}  // namespace glgnn
