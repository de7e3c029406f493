#include <glgnn/metrics.h>

namespace glgnn {
namespace {

double part(int64_t some, int64_t all) {
  return all > 0 ? static_cast<double>(some) / static_cast<double>(all) : 0.0;
}

// The mean of `value` over the classes that `counts` lets through.
template <class Counts, class Value>
double class_mean(const ConfusionMatrix& confusion, Counts&& counts, Value&& value) {
  double sum = 0;
  int64_t classes = 0;
  for (const ClassMetrics& metrics : class_metrics(confusion)) {
    if (!counts(metrics)) continue;
    sum += value(metrics);
    ++classes;
  }
  return classes > 0 ? sum / static_cast<double>(classes) : 0.0;
}

}  // namespace

double ClassMetrics::precision() const { return part(correct, predicted); }
double ClassMetrics::recall() const { return part(correct, support); }
double ClassMetrics::f1() const { return part(2 * correct, support + predicted); }

ConfusionMatrix confusion_matrix(std::span<const int32_t> predicted,
                                 std::span<const int32_t> labels, std::span<const int32_t> rows,
                                 int64_t classes) {
  ConfusionMatrix confusion{classes, std::vector<int64_t>(classes * classes, 0)};
  for (const int32_t row : rows) {
    if (labels[row] >= 0) ++confusion.counts[labels[row] * classes + predicted[row]];
  }
  return confusion;
}

std::vector<ClassMetrics> class_metrics(const ConfusionMatrix& confusion) {
  std::vector<ClassMetrics> list(confusion.classes);
  for (int64_t label = 0; label < confusion.classes; ++label) {
    for (int64_t predicted = 0; predicted < confusion.classes; ++predicted) {
      const int64_t count = confusion.at(label, predicted);
      list[label].support += count;
      list[predicted].predicted += count;
      if (label == predicted) list[label].correct = count;
    }
  }
  return list;
}

double macro_f1(const ConfusionMatrix& confusion) {
  return class_mean(
      confusion, [](const ClassMetrics& m) { return m.support + m.predicted > 0; },
      [](const ClassMetrics& m) { return m.f1(); });
}

double balanced_accuracy(const ConfusionMatrix& confusion) {
  return class_mean(
      confusion, [](const ClassMetrics& m) { return m.support > 0; },
      [](const ClassMetrics& m) { return m.recall(); });
}

}  // namespace glgnn
