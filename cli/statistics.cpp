#include "statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace glgnn::cli {
namespace {

// Student's t at 97.5 %, by the number of runs less one.
double t_value(size_t freedom) {
  constexpr std::array kValues{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  return freedom <= kValues.size() ? kValues[freedom - 1]
                                   : 1.96 + 2.5 / static_cast<double>(freedom);
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double interval_of(const std::vector<double>& values, double test_to_train) {
  if (values.size() < 2) return 0;
  const double overlap = std::min(1.0, test_to_train);
  return t_value(values.size() - 1) * deviation_of(values) *
         std::sqrt(1 / static_cast<double>(values.size()) + overlap);
}

}  // namespace glgnn::cli
