#include <glgnn/error.h>
#include <glgnn/new_rows.h>

#include <algorithm>
#include <map>

#include "core/rows.h"
#include "model/frozen_model.h"
#include "network/class_shares.h"

namespace glgnn {
namespace {

constexpr int64_t kBlock = 256;  // rows predicted at a time

// Each module's links, scaled to sum 1 and weighed by the module.
std::vector<NearRow> near_rows(const ModuleLinks& links, const std::vector<double>& weights,
                               int64_t limit) {
  std::map<int32_t, double> total;
  double all = 0;
  for (size_t m = 0; m < links.size(); ++m) {
    double sum = 0;
    for (const Link& link : links[m].links) sum += link.weight;
    if (sum <= 0) continue;
    all += weights[m];
    for (const Link& link : links[m].links) total[link.row] += weights[m] * link.weight / sum;
  }
  std::vector<NearRow> near;
  for (const auto& [row, weight] : total) {
    near.push_back({row, static_cast<float>(all > 0 ? weight / all : 0.0)});
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const NearRow& a, const NearRow& b) { return a.weight > b.weight; });
  near.resize(std::min(near.size(), static_cast<size_t>(std::max<int64_t>(0, limit))));
  return near;
}

void check_columns(const Features& rows, const Model& model) {
  if (rows.cols() != model.features.cols()) {
    throw Error(ErrorKind::kData, "new rows have " + std::to_string(rows.cols()) +
                                      " columns, expected " +
                                      std::to_string(model.features.cols()) +
                                      " as in the fitted data; give the same columns");
  }
  if (rows.is_sparse != model.features.is_sparse) {
    throw Error(ErrorKind::kUsage,
                std::string("new rows are ") + (rows.is_sparse ? "sparse" : "dense") +
                    ", and the fitted ones are not; convert them (make_sparse, make_dense)");
  }
}

}  // namespace

// New rows may be few, and nobody knows how many come: a GPU only where it is asked for.
NewRowPredictor::NewRowPredictor(const Model& model, const Context& context) {
  Context means = context;
  if (means.device == Device::kAuto) means.device = Device::kCpu;
  frozen_ = freeze(model, resolve_device(means, model.features.rows(), model.features.cols()));
}
NewRowPredictor::~NewRowPredictor() = default;
NewRowPredictor::NewRowPredictor(NewRowPredictor&&) noexcept = default;
NewRowPredictor& NewRowPredictor::operator=(NewRowPredictor&&) noexcept = default;

NewRowPredictions NewRowPredictor::predict(const Features& rows, int64_t near) const {
  check_columns(rows, frozen_->model());
  NewRowPredictions out{Matrix(rows.rows(), frozen_->model().probabilities.cols()), {}};
  for (int64_t begin = 0; begin < rows.rows(); begin += kBlock) {
    const Features block = rows_of(rows, begin, std::min(begin + kBlock, rows.rows()));
    const std::vector<ModuleLinks> links = frozen_->attach(block);
    Matrix p = frozen_->predict(block, links);
    weigh_classes(p, frozen_->model().class_factors);
    std::copy(p.data(), p.data() + p.size(), out.probabilities[begin]);
    for (const ModuleLinks& row : links) {
      out.near.push_back(near_rows(row, frozen_->module_weights(), near));
    }
  }
  return out;
}

}  // namespace glgnn
