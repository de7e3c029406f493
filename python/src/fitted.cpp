#include "fitted.h"

#include <glgnn/error.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "bindings.h"
#include "core/archive.h"
#include "core/rows.h"
#include "data/data.h"
#include "data/features.h"
#include "report/page.h"
#include "report/text_file.h"

namespace glgnn::python {

namespace {

constexpr int64_t kBlock = 4096;  // new rows that are prepared at a time

uint64_t checksum(const Matrix& matrix) {
  return byte_sum(matrix.data(), static_cast<size_t>(matrix.size()) * sizeof(float));
}

void append(NewRowPredictions& all, int64_t begin, NewRowPredictions some) {
  const Matrix& p = some.probabilities;
  std::copy_n(p.data(), p.size(), all.probabilities[begin]);
  std::move(some.near.begin(), some.near.end(), std::back_inserter(all.near));
}

}  // namespace

Fitted::Fitted(Model model, Context context) : model_(std::move(model)), context_(context) {
  if (model_.features.dense.is_shared()) shared_rows_ = checksum(model_.features.dense);
}

void Fitted::check_shared_rows() const {
  const Matrix& rows = model_.features.dense;
  if (!rows.is_shared() || checksum(rows) == shared_rows_) return;
  throw Error(ErrorKind::kUsage,
              "the array that was given to fit() has been changed since, and the model reads it "
              "where it is; fit again, with copy_X=True if the array has to change");
}

const NewRowPredictor& Fitted::predictor() const {
  const std::scoped_lock locked(lock_);
  if (!predictor_) {
    check_shared_rows();
    predictor_.emplace(model_, context_);
  }
  return *predictor_;
}

NewRowPredictions Fitted::predict(const Features& rows, int64_t near) const {
  return run_apart([&] {
    NewRowPredictions all{Matrix(rows.rows(), model_.probabilities.cols()), {}};
    for (int64_t begin = 0; begin < rows.rows(); begin += kBlock) {
      Features block = rows_of(rows, begin, std::min(begin + kBlock, rows.rows()));
      if (is_of_array(model_.plan)) block = used_columns(std::move(block), model_.plan, "X");
      if (model_.features.is_sparse) {
        make_sparse(block);
      } else {
        make_dense(block);
      }
      apply_scale(block, model_.plan.scale);
      append(all, begin, predictor().predict(block, near));
    }
    return all;
  });
}

NewRowPredictions Fitted::predict(const Frame& table, int64_t near,
                                  std::vector<std::string>& notes) const {
  return run_apart([&] {
    NewRows rows(table, model_.plan, model_.class_names,
                 {.sparse = model_.features.is_sparse, .block_rows = kBlock});
    NewRowPredictions all{Matrix(table.rows, model_.probabilities.cols()), {}};
    int64_t begin = 0;
    for (RowBlock block; rows.next(block); begin += block.rows()) {
      append(all, begin, predictor().predict(block.features, near));
    }
    notes = rows.notes();
    return all;
  });
}

Explanation Fitted::explain(int32_t row) const {
  const int64_t rows = model_.probabilities.rows();
  if (row < 0 || row >= rows) {
    throw Error(ErrorKind::kUsage, "no such row to explain: found " + std::to_string(row) +
                                       ", expected a number from 0 to " + std::to_string(rows - 1));
  }
  return run_apart([&] {
    {
      const std::scoped_lock locked(lock_);
      if (!explainer_) {
        check_shared_rows();
        explainer_.emplace(model_, context_);
      }
    }
    return explainer_->explain(row);
  });
}

std::vector<Suggestion> Fitted::suggest(int64_t count) const {
  if (count < 0) {
    throw Error(ErrorKind::kUsage,
                "suggest: found " + std::to_string(count) + " rows, expected 0 or more");
  }
  return run_apart([&] { return suggest_rows(model_, count, context_); });
}

void Fitted::save(const std::string& path) const {
  check_shared_rows();
  save_model(model_, path);
}

void Fitted::report(const std::string& path) const {
  require_page();
  check_shared_rows();
  write_text_file(path, run_apart([&] { return report_page(model_); }));
}

}  // namespace glgnn::python
