// Support vectors with the Gaussian kernel, by libsvm.
#include <libsvm/svm.h>

#include <algorithm>
#include <memory>

#include "methods/linear_models.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/node_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

void append_row(std::vector<svm_node>& nodes, const Features& x, int64_t row) {
  append_numbers(nodes, x, row);
  nodes.push_back({-1, 0.0});
}

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

// The votes of all pairs of classes, as parts of 1.
void count_votes(float* p, const svm_model& model, const std::vector<double>& decisions) {
  const int classes = model.nr_class;
  const float vote = 2.0f / static_cast<float>(classes * (classes - 1));
  for (int a = 0, pair = 0; a < classes; ++a) {
    for (int b = a + 1; b < classes; ++b, ++pair) {
      p[model.label[decisions[pair] > 0 ? a : b]] += vote;
    }
  }
}

MethodAnswer fit_rbf_svm(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Features& x = *problem.features;
  TrainingNodes<svm_node> taught(x, problem, append_row);
  const svm_problem given{.l = static_cast<int>(taught.rows.size()),
                          .y = taught.labels.data(),
                          .x = taught.rows.data()};
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = RBF;
  how.gamma = task.value("gamma") / std::max(1e-12, mean_squared_distance(x));
  how.C = task.value("cost");
  how.eps = 1e-3;
  how.cache_size = 100;
  how.shrinking = 1;
  svm_set_print_string_function([](const char*) {});
  const std::unique_ptr<svm_model, FreeModel> model(svm_train(&given, &how));

  Matrix p(x.rows(), problem.classes);
  std::vector<double> decisions(static_cast<size_t>(model->nr_class * (model->nr_class - 1) / 2));
  std::vector<svm_node> asked;
  for (int64_t i = 0; i < x.rows(); ++i) {
    asked.clear();
    append_row(asked, x, i);
    svm_predict_values(model.get(), asked.data(), decisions.data());
    count_votes(p[i], *model, decisions);
  }
  return {std::move(p)};
}

}  // namespace

Method rbf_svm_method() {
  return {.name = "rbf-svm",
          .paper = "Cortes and Vapnik, ML 1995; libsvm, Chang and Lin, TIST 2011",
          .text = "support vectors with a Gaussian kernel, a vote of all pairs of classes",
          .settings = kernel_settings() + cost_settings(),
          .fit = fit_rbf_svm};
}

}  // namespace glgnn
