// How a column plan is listed in a model file (core/archive.h).
#pragma once

#include <glgnn/table.h>

#include "model/walk.h"

namespace glgnn {

template <class Archive, class Column>
void walk_column(Archive& archive, Column& column) {
  archive(column.name);
  archive(column.kind);
  archive(column.varies);
  archive(column.indicator);
  archive(column.style.decimal_comma);
  archive(column.style.grouping);
  archive(column.style.unit);
  archive(column.order);
  archive(column.levels);
  archive(column.level_counts);
  archive(column.other);
  archive(column.missing);
  archive(column.distinct);
  archive(column.lowest);
  archive(column.median);
  archive(column.highest);
}

template <class Archive, class Plan>
void walk_plan(Archive& archive, Plan& plan) {
  walk_list(archive, plan.columns, [](Archive& a, auto& column) { walk_column(a, column); });
  archive(plan.feature_names);
  archive(plan.missing_words);
  archive(plan.counts_from_zero);
  archive(plan.scale.scaling);
  archive(plan.scale.shift);
  archive(plan.scale.factor);
}

}  // namespace glgnn
