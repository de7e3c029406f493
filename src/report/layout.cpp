#include "report/layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace glgnn {
namespace {

constexpr int kRounds = 90;
constexpr int kLastRounds = 30;      // of these, the last only push rows apart
constexpr double kPull = 0.25;       // part of the way to its target that a row goes in a round
constexpr double kClassPart = 0.25;  // how much of the target is the classes', not the neighbours'
constexpr double kFilled = 0.55;     // part of the picture that the rows cover
constexpr size_t kLookedAt = 12;     // rows of one cell that push a row: keeps a round linear
constexpr double kGoldenAngle = 2.399963229728653;

struct Point {
  double x = 0, y = 0;
};

Point on_circle(double turn, double radius) {
  const double angle = 2 * std::numbers::pi * turn;
  return {radius * std::sin(angle), -radius * std::cos(angle)};
}

// The classes stand on a circle; a row starts at the mean of them by its probabilities, moved a
// little by its number, because rows on one spot could never part.
std::vector<Point> class_places(const Matrix& probabilities) {
  const int64_t classes = probabilities.cols();
  std::vector<Point> places(static_cast<size_t>(probabilities.rows()));
  for (int64_t i = 0; i < probabilities.rows(); ++i) {
    Point& place = places[static_cast<size_t>(i)];
    for (int64_t c = 0; c < classes; ++c) {
      const Point anchor = on_circle(static_cast<double>(c) / static_cast<double>(classes), 1);
      place.x += probabilities[i][c] * anchor.x;
      place.y += probabilities[i][c] * anchor.y;
    }
    const double part = std::fmod(static_cast<double>(i) * std::numbers::phi, 1.0);
    const double angle = static_cast<double>(i) * kGoldenAngle;
    place.x += 0.4 * std::sqrt(part) * std::cos(angle);
    place.y += 0.4 * std::sqrt(part) * std::sin(angle);
  }
  return places;
}

// Moves every row towards the weighted mean of its neighbours (an edge pulls both ends) and its
// class place.
void pull_together(const Csr& graph, const std::vector<Point>& classes, double step,
                   std::vector<Point>& places) {
  struct Sum {
    double x = 0, y = 0, weight = 0;
  };
  std::vector<Sum> sums(places.size());
  const auto add = [&](size_t to, size_t from, double weight) {
    sums[to].x += weight * places[from].x;
    sums[to].y += weight * places[from].y;
    sums[to].weight += weight;
  };
  const Pattern& pattern = *graph.pattern;
  for (size_t i = 0; i < places.size(); ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const auto j = static_cast<size_t>(pattern.col[static_cast<size_t>(e)]);
      const double weight = std::abs(graph.values[static_cast<size_t>(e)]);
      add(i, j, weight);
      add(j, i, weight);
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    Point target = classes[i];
    if (sums[i].weight > 0) {
      target.x = kClassPart * target.x + (1 - kClassPart) * sums[i].x / sums[i].weight;
      target.y = kClassPart * target.y + (1 - kClassPart) * sums[i].y / sums[i].weight;
    }
    places[i].x += step * (target.x - places[i].x);
    places[i].y += step * (target.y - places[i].y);
  }
}

// The rows sorted into square cells, so that near ones are found without looking at all.
class Grid {
 public:
  Grid(const std::vector<Point>& places, double cell) : cell_(cell) {
    const auto by = [](auto member) {
      return [member](const Point& a, const Point& b) { return a.*member < b.*member; };
    };
    const auto [left, right] = std::minmax_element(places.begin(), places.end(), by(&Point::x));
    const auto [low, high] = std::minmax_element(places.begin(), places.end(), by(&Point::y));
    // A stray row far away must not make a huge grid.
    cell_ = std::max(cell_, std::max(right->x - left->x, high->y - low->y) / 1024);
    left_ = left->x;
    low_ = low->y;
    across_ = column(*right) + 1;
    up_ = line(*high) + 1;
    first_.assign(static_cast<size_t>(across_ * up_ + 1), 0);
    for (const Point& p : places) ++first_[index(column(p), line(p)) + 1];
    for (size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    rows_.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      rows_[next[index(column(places[i]), line(places[i]))]++] = i;
    }
  }

  // Calls visit(row) for rows in the nine cells around `p`; of a crowded cell for some, others for
  // every `who`.
  template <class Visit>
  void near(const Point& p, size_t who, Visit&& visit) const {
    for (int64_t y = std::max<int64_t>(0, line(p) - 1); y <= std::min(up_ - 1, line(p) + 1); ++y) {
      for (int64_t x = std::max<int64_t>(0, column(p) - 1);
           x <= std::min(across_ - 1, column(p) + 1); ++x) {
        const size_t begin = first_[index(x, y)], size = first_[index(x, y) + 1] - begin;
        const size_t count = std::min(size, kLookedAt);
        for (size_t r = 0; r < count; ++r) visit(rows_[begin + (who * kLookedAt + r) % size]);
      }
    }
  }

 private:
  int64_t column(const Point& p) const { return static_cast<int64_t>((p.x - left_) / cell_); }
  int64_t line(const Point& p) const { return static_cast<int64_t>((p.y - low_) / cell_); }
  size_t index(int64_t x, int64_t y) const { return static_cast<size_t>(y * across_ + x); }

  double cell_ = 0, left_ = 0, low_ = 0;
  int64_t across_ = 0, up_ = 0;
  std::vector<size_t> first_, rows_;
};

// Rows nearer than `distance` go apart, half the way each.
void push_apart(double distance, std::vector<Point>& places) {
  const Grid grid(places, distance);
  std::vector<Point> moves(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const Point here = places[i];
    grid.near(here, i, [&](size_t j) {
      const double x = here.x - places[j].x, y = here.y - places[j].y;
      const double apart = std::sqrt(x * x + y * y);
      if (j == i || apart >= distance) return;
      const double push = 0.35 * (distance - apart) / std::max(apart, 1e-9);
      moves[i].x += push * x;
      moves[i].y += push * y;
    });
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const double length = std::hypot(moves[i].x, moves[i].y);
    const double shorter = length > distance ? distance / length : 1;
    places[i].x += shorter * moves[i].x;
    places[i].y += shorter * moves[i].y;
  }
}

std::vector<MapPoint> within_unit_square(const std::vector<Point>& points) {
  double low = 0, high = 0;
  for (const Point& p : points) {
    low = std::min({low, p.x, p.y});
    high = std::max({high, p.x, p.y});
  }
  const double size = std::max(high - low, 1e-9);
  std::vector<MapPoint> places;
  for (const Point& p : points) {
    places.push_back(
        {static_cast<float>((p.x - low) / size), static_cast<float>((p.y - low) / size)});
  }
  return places;
}

}  // namespace

std::vector<MapPoint> layout_rows(const Csr& graph, const Matrix& probabilities) {
  if (probabilities.rows() == 0) return {};
  const std::vector<Point> classes = class_places(probabilities);
  std::vector<Point> places = classes;
  const double distance =
      std::sqrt(kFilled * 4 / static_cast<double>(std::max<int64_t>(probabilities.rows(), 16)));
  for (int round = 0; round < kRounds; ++round) {
    const double left = 1 - static_cast<double>(round) / (kRounds - kLastRounds);
    if (left > 0) pull_together(graph, classes, kPull * left, places);
    push_apart(distance, places);
  }
  return within_unit_square(places);
}

}  // namespace glgnn
