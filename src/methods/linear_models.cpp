#include "methods/linear_models.h"

#include <linear.h>

#include <cmath>
#include <memory>

#include "methods/methods.h"
#include "methods/node_rows.h"
#include "modules/soft_labels.h"

// The four functions of BLAS that liblinear calls, so that it needs no BLAS and its sums have one
// order. In this file, because the linker takes it before liblinear.
extern "C" {

double ddot_(const int* n, const double* x, const int* x_step, const double* y, const int* y_step) {
  double sum = 0;
  for (int i = 0; i < *n; ++i) sum += x[i * *x_step] * y[i * *y_step];
  return sum;
}

double dnrm2_(const int* n, const double* x, const int* x_step) {
  return std::sqrt(ddot_(n, x, x_step, x, x_step));
}

int daxpy_(const int* n, const double* a, const double* x, const int* x_step, double* y,
           const int* y_step) {
  for (int i = 0; i < *n; ++i) y[i * *y_step] += *a * x[i * *x_step];
  return 0;
}

int dscal_(const int* n, const double* a, double* x, const int* x_step) {
  for (int i = 0; i < *n; ++i) x[i * *x_step] *= *a;
  return 0;
}

}  // extern "C"

namespace glgnn {
namespace {

using Node = ::feature_node;

// The numbers of a row, the bias and an end mark.
void append_row(std::vector<Node>& nodes, const Features& x, int64_t row) {
  append_numbers(nodes, x, row);
  nodes.push_back({static_cast<int>(x.cols() + 1), 1.0});
  nodes.push_back({-1, 0.0});
}

struct FreeModel {
  void operator()(::model* model) const { free_and_destroy_model(&model); }
};

std::unique_ptr<::model, FreeModel> train_on(const Features& x, const Problem& problem,
                                             LinearLoss loss, double cost) {
  TrainingNodes<Node> taught(x, problem, append_row);
  const ::problem given{.l = static_cast<int>(taught.rows.size()),
                        .n = static_cast<int>(x.cols() + 1),
                        .y = taught.labels.data(),
                        .x = taught.rows.data(),
                        .bias = 1};
  ::parameter how{};
  how.solver_type = loss == LinearLoss::kLogistic ? L2R_LR : L2R_L2LOSS_SVC;
  how.eps = 1e-4;
  how.C = cost;
  set_print_string_function([](const char*) {});
  return std::unique_ptr<::model, FreeModel>(::train(&given, &how));
}

Method linear_method(const char* name, const char* paper, const char* text,
                     MethodAnswer (*fit)(const MethodTask&)) {
  return {.name = name, .paper = paper, .text = text, .settings = cost_settings(), .fit = fit};
}

template <LinearLoss kLoss>
MethodAnswer fit_task(const MethodTask& task) {
  return {fit_linear(*task.problem.features, task.problem, kLoss, task.value("cost"))};
}

}  // namespace

Matrix fit_linear(const Features& x, const Problem& problem, LinearLoss loss, double cost) {
  const auto model = train_on(x, problem, loss, cost);
  const int classes = model->nr_class;
  // A class without a training row stays at nothing.
  Matrix p(x.rows(), problem.classes, loss == LinearLoss::kLogistic ? 0.0f : -1e9f);
  std::vector<double> said(static_cast<size_t>(classes));
  std::vector<Node> nodes;
  for (int64_t i = 0; i < x.rows(); ++i) {
    nodes.clear();
    append_row(nodes, x, i);
    if (loss == LinearLoss::kLogistic) {
      predict_probability(model.get(), nodes.data(), said.data());
    } else {
      predict_values(model.get(), nodes.data(), said.data());
      if (classes == 2) said[1] = -said[0];  // of two classes it says one number
    }
    for (int c = 0; c < classes; ++c) p[i][model->label[c]] = static_cast<float>(said[c]);
  }
  if (loss != LinearLoss::kLogistic) softmax_rows(p);
  return p;
}

std::vector<MethodSetting> cost_settings() {
  return {{"cost", 1, {0.01, 0.1, 1, 10, 100, 1000}, "of an error beside the weights (C)"}};
}

Method logreg_method() {
  return linear_method("logreg", "Cox, JRSS 1958; solver of liblinear, Fan et al., JMLR 2008",
                       "logistic regression, one class against the others",
                       fit_task<LinearLoss::kLogistic>);
}

Method linear_svm_method() {
  return linear_method("linear-svm", "Cortes and Vapnik, ML 1995; liblinear, Fan et al., JMLR 2008",
                       "linear support vectors with squared hinge, one class against the others",
                       fit_task<LinearLoss::kSquaredHinge>);
}

}  // namespace glgnn
