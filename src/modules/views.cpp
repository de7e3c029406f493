#include "modules/views.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/validate.h"
#include "modules/feature_products.h"

namespace glgnn {

Views::Made& Views::of(View view) {
  const std::scoped_lock lock(mutex_);
  return made_[view];
}

const Features& Views::get(View view) {
  Made& made = of(view);
  std::call_once(made.has_rows, [&] { make(view, made); });
  return made.rows;
}

const ViewRule& Views::rule(View view) {
  Made& made = of(view);
  const bool by_columns = view == View::kRaw || view == View::kStandard;
  std::call_once(made.has_rule, [&] {
    if (on_device_ && by_columns && !raw_.is_sparse && raw_.indicators.empty()) {
      upload();
      made.fitted.rule = learn_view(view, moments_);
    } else {
      made.fitted.rule = learn_view(view, raw_, threads_);
    }
  });
  return made.fitted.rule;
}

Features rows_in_view(const ViewRule& rule, const Features& raw, const std::vector<int32_t>& rows) {
  Features some;
  some.indicators = raw.indicators;
  some.dense = Matrix(std::ssize(rows), raw.cols());
  for (int64_t i = 0; i < some.rows(); ++i) {
    std::copy_n(raw.dense[rows[i]], raw.cols(), some.dense[i]);
  }
  return apply_view(rule, std::move(some));
}

Features Views::rows(View view, const std::vector<int32_t>& rows) {
  GLGNN_ASSERT(directions_kept(view) == 0 && !raw_.is_sparse);
  return rows_in_view(rule(view), raw_, rows);
}

void Views::make(View view, Made& made) {
  const int64_t kept = directions_kept(view);
  if (kept == 0) {
    made.rows = apply_view(rule(view), raw_, threads_);
    return;
  }
  const View base = base_view(raw_);
  const cuda::HeldMatrix* const on_device = held(base);
  Directions found = on_device ? leading_directions(*on_device, kept, threads_)
                               : leading_directions(get(base), kept, threads_);
  made.rows.dense = std::move(found.scores);
  made.fitted.rule.view = view;
  made.fitted.directions = std::move(found.directions);
  made.scores = std::move(found.held);
}

const cuda::HeldMatrix* Views::held(View view) {
  if (!on_device_) return nullptr;
  Made& made = of(view);
  std::call_once(made.has_held, [&] { made.held = move_to_device(view); });
  return made.held ? &*made.held : nullptr;
}

void Views::upload() {
  if (!on_device_ || raw_.is_sparse) return;
  std::call_once(has_held_raw_, [&] {
    held_raw_.emplace(raw_.dense.view());
    moments_ = held_raw_->moments();
  });
}

std::optional<cuda::HeldMatrix> Views::move_to_device(View view) {
  if (!raw_.is_sparse && (view == View::kRaw || view == View::kStandard)) {
    const ViewRule& by = rule(view);
    upload();
    // Divided by one number: in double and rounded then, the quotient is that of floats.
    const auto columns = static_cast<size_t>(raw_.cols());
    const std::vector<double> none(columns, 0.0), same(columns, static_cast<float>(by.largest));
    const bool by_column = !by.mean.empty();
    return held_raw_->standardised(by_column ? by.mean : none, by_column ? by.spread : same);
  }
  const Features& rows = get(view);
  if (rows.is_sparse) return {};
  if (std::optional<cuda::HeldMatrix>& scores = of(view).scores) return std::move(scores);
  return cuda::HeldMatrix(rows.dense.view());
}

FittedViews Views::fitted(const std::set<View>& views) {
  std::set<View> needed = views;
  for (const View view : views) {
    if (directions_kept(view) > 0) needed.insert(base_view(raw_));
  }
  FittedViews out;
  // Singular directions are last among the views.
  for (const View view : needed) {
    const bool is_reduced = directions_kept(view) > 0;
    if (is_reduced) {
      get(view);
    } else {
      rule(view);
    }
    const Made& made = of(view);
    out.push_back(made.fitted);
    if (is_reduced) out.back().scores = made.rows.dense;
  }
  return out;
}

Features FittedView::of_fitted(const Features& raw) const {
  if (directions.empty()) return apply_view(rule, raw);
  Features reduced;
  reduced.dense = scores;
  return reduced;
}

RowViews FittedViews::of_rows(const Features& rows) const {
  RowViews out;
  for (const FittedView& view : *this) {
    if (view.directions.empty()) {
      out.emplace(view.rule.view, apply_view(view.rule, rows));
      continue;
    }
    const Features& base = out.at(base_view(rows));
    Features reduced;
    reduced.dense = Matrix(rows.rows(), view.directions.cols());
    feature_times(reduced.dense, base, view.directions, 1);
    out.emplace(view.rule.view, std::move(reduced));
  }
  return out;
}

std::map<View, ViewShape> FittedViews::check(const Features& fitted) const {
  const int64_t n = fitted.rows();
  std::map<View, ViewShape> shapes;
  for (const auto& [rule, directions, scores] : *this) {
    const std::string what = "view " + view_name(rule.view);
    ViewShape shape = rule.check(what, {fitted.cols(), fitted.is_sparse});
    const int64_t most = directions_kept(rule.view);
    if (most == 0) {
      check_matrix(what + ", directions", directions, 0, 0);
    } else {
      const auto bases = static_cast<int64_t>(shapes.count(base_view(fitted)));
      check_count(what + ", views that it is made of", bases, 1);
      shape = {directions.cols(), false};
      check_range(what + ", directions", shape.columns, 1, most);
      check_matrix(what + ", directions", directions, fitted.cols(), shape.columns);
      check_matrix(what + ", scores", scores, n, shape.columns);
    }
    check_count(what + ", how often", shapes.emplace(rule.view, shape).second ? 1 : 2, 1);
  }
  return shapes;
}

}  // namespace glgnn
