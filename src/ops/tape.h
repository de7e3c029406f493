// The record of one forward pass: values, gradients, and the steps backward in order. Nothing
// general.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/edges.h"

namespace glgnn {

// A trained matrix with its gradient and Adam's two running means.
struct Parameter {
  Parameter(std::string its_name, int64_t rows, int64_t cols, float start = 0.0f)
      : name(std::move(its_name)),
        value(rows, cols, start),
        grad(rows, cols),
        mean(rows, cols),
        square(rows, cols) {}

  std::string name;
  Matrix value, grad, mean, square;
};

// A value of the forward pass; grad is null where no gradient is wanted. Cheap to copy: the tape, a
// parameter or the caller owns what it points to.
struct Var {
  const Matrix* value = nullptr;
  Matrix* grad = nullptr;

  int64_t rows() const { return value->rows(); }
  int64_t cols() const { return value->cols(); }
  const float* data() const { return value->data(); }
  float* d_data() const { return grad ? grad->data() : nullptr; }
  MatView<const float> view() const { return value->view(); }
  MatView<float> d_view() const { return grad ? grad->view() : MatView<float>{}; }
};

class PatternWork;

// A sparse matrix of the forward pass: a constant pattern, values (nnz x 1) with a gradient.
struct SparseVar {
  SharedPattern pattern;
  Var values;
  std::shared_ptr<const Transpose> transposed;  // of the pattern, if a backward pass will want it
  std::shared_ptr<PatternWork> work = nullptr;  // of a pattern that is kept for longer
};

class Tape {
 public:
  // Without `recording` no gradient is made: the evaluation forward.
  Tape(const Context& context, bool recording) : context_(context), recording_(recording) {}

  const Context& context() const { return context_; }
  int threads() const { return context_.threads; }

  // Something that has no gradient and outlives the pass.
  static Var constant(const Matrix& value) { return {&value, nullptr}; }
  Var parameter(Parameter& p) const { return {&p.value, recording_ ? &p.grad : nullptr}; }

  // A new value to be written by an op (`written`), with a zero gradient if one is wanted.
  struct Fresh {
    Matrix* written;
    Var var;
  };
  Fresh make(int64_t rows, int64_t cols, bool wants_grad);

  // Keeps something alive until clear().
  template <class T>
  const T& keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }

  // What backward() will do for the op just made; ops are undone in the opposite order.
  void record(std::function<void()> step) { steps_.push_back(std::move(step)); }
  bool recording() const { return recording_; }

  // Runs the steps backward; gradients of parameters are added to.
  void backward();

  // Forgets the pass and keeps its buffers for the next one, or gives them back.
  void clear(bool keep_buffers = true);

 private:
  Matrix take(int64_t rows, int64_t cols);

  Context context_;
  bool recording_;
  std::deque<Matrix> matrices_;
  std::vector<std::function<void()>> steps_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Matrix>> spare_;
};

}  // namespace glgnn
