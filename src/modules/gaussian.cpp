#include "modules/gaussian.h"

#include <cmath>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "kernels/dense.h"
#include "modules/eigen.h"
#include "modules/module.h"
#include "ops/propagation.h"

namespace glgnn {
namespace {

Eigen::Map<const RowMajor<float>> map(const Matrix& m) { return {m.data(), m.rows(), m.cols()}; }

// a^T b. Pieces of rows are multiplied first, however many threads there are.
Matrix transposed_product(const Matrix& a, const Matrix& b, int threads) {
  constexpr int64_t kRows = 16384;  // of a piece
  std::vector<Matrix> parts((a.rows() + kRows - 1) / kRows);
  for_fixed_pieces(a.rows(), kRows, threads, [&](int64_t piece, int64_t first, int64_t last) {
    parts[piece] = Matrix(a.cols(), b.cols());
    cpu::gemm(parts[piece].view(), {a[first], last - first, a.cols()},
              {b[first], last - first, b.cols()}, {.transpose_a = true}, 1);
  });
  Matrix sum(a.cols(), b.cols());
  for (const Matrix& part : parts) {
    for (int64_t e = 0; e < sum.size(); ++e) sum.data()[e] += part.data()[e];
  }
  return sum;
}

// The rows that prototypes are made of, multiplied where they are.
struct Rows {
  const Matrix& x;
  const cuda::HeldMatrix* held;
  int threads;

  // p^T x
  Matrix sums(const Matrix& p) const {
    return held ? cuda::HeldMatrix(p.view()).transposed_times(*held)
                : transposed_product(p, x, threads);
  }
  Eigen::MatrixXd scatter() const {
    const Matrix all = held ? held->transposed_times(*held) : transposed_product(x, x, threads);
    return map(all).cast<double>();
  }
  // x w
  Matrix times(const Matrix& w) const {
    if (held) return held->times(w.view()).to_host();
    Matrix out(x.rows(), w.cols());
    cpu::gemm(out.view(), x.view(), w.view(), {}, threads);
    return out;
  }
};

struct Prototypes {
  Eigen::VectorXd mass;                // n_c
  Eigen::MatrixXd mean;                // C x F
  Eigen::MatrixXd inverse_times_mean;  // F x C, Sw^-1 mu^T
};

// The rows of p sum to 1, so that the scatter within classes is the whole scatter less that of the
// means.
Prototypes fit_prototypes(const Matrix& sums, const Eigen::VectorXd& mass, const Matrix& x,
                          const Eigen::MatrixXd& scatter, double shrink) {
  Prototypes out;
  out.mass = mass.array() + 1e-6;
  out.mean = out.mass.cwiseInverse().asDiagonal() * map(sums).cast<double>();
  Eigen::MatrixXd within = scatter - out.mean.transpose() * out.mass.asDiagonal() * out.mean;
  within /= static_cast<double>(x.rows());
  const double features = static_cast<double>(x.cols());
  const double sphere = std::max(within.trace() / features, 1e-9);
  within = (1 - shrink) * within +
           (shrink + 1e-6) * sphere * Eigen::MatrixXd::Identity(x.cols(), x.cols());
  out.inverse_times_mean = within.llt().solve(out.mean.transpose());
  return out;
}

Prototypes fit_prototypes(const Matrix& p, const Rows& rows, const Eigen::MatrixXd& scatter,
                          double shrink) {
  const Eigen::VectorXd mass = map(p).cast<double>().colwise().sum().transpose();
  return fit_prototypes(rows.sums(p), mass, rows.x, scatter, shrink);
}

// Every class is as likely as any other before its row is seen where they count alike.
LinearHead linear_head(const Prototypes& prototypes, bool classes_alike) {
  LinearHead head{to_matrix(prototypes.inverse_times_mean), Matrix(1, prototypes.mean.rows())};
  const double all = prototypes.mass.sum();
  for (int64_t c = 0; c < head.offset.cols(); ++c) {
    const double log_share = classes_alike ? 0.0 : std::log(prototypes.mass[c] / all);
    const double offset =
        log_share - 0.5 * prototypes.mean.row(c).dot(prototypes.inverse_times_mean.col(c));
    head.offset[0][c] = static_cast<float>(offset);
  }
  return head;
}

Matrix logits_of(const Prototypes& prototypes, const Rows& rows, bool classes_alike) {
  const LinearHead head = linear_head(prototypes, classes_alike);
  Matrix logits = rows.times(head.weights);
  for_row_ranges(logits.rows(), logits.size(), rows.threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t c = 0; c < logits.cols(); ++c) logits[i][c] += head.offset[0][c];
    }
  });
  return logits;
}

// The at most C - 1 coordinates in which the means lie furthest apart, measured by the covariance.
Matrix separating_coordinates(const Prototypes& prototypes, const Rows& rows) {
  const Eigen::RowVectorXd centre = prototypes.mean.colwise().mean();
  const Eigen::MatrixXd apart = prototypes.mean.rowwise() - centre;
  const Eigen::MatrixXd weights =
      prototypes.inverse_times_mean.colwise() - prototypes.inverse_times_mean.rowwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(apart * weights);
  const int64_t kept = std::max<int64_t>(1, apart.rows() - 1);
  const Eigen::VectorXd values = eigen.eigenvalues().tail(kept).cwiseMax(1e-9);
  const Eigen::MatrixXd directions = weights * eigen.eigenvectors().rightCols(kept) *
                                     values.cwiseSqrt().cwiseInverse().asDiagonal();
  return rows.times(to_matrix(directions));
}

// [x / sqrt(F), coordinates / sqrt(C)].
Matrix join(const Matrix& x, const Matrix& coordinates, int64_t classes) {
  Matrix out(x.rows(), x.cols() + coordinates.cols());
  const auto own = static_cast<float>(1 / std::sqrt(static_cast<double>(x.cols())));
  const auto other = static_cast<float>(1 / std::sqrt(static_cast<double>(classes)));
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t f = 0; f < x.cols(); ++f) out[i][f] = own * x[i][f];
    for (int64_t c = 0; c < coordinates.cols(); ++c)
      out[i][x.cols() + c] = other * coordinates[i][c];
  }
  return out;
}

// The same steps as gaussian_prototypes() without propagation, of classes that stay on the device.
Matrix prototypes_on_device(cuda::HeldClasses p, const Matrix& x, const Problem& problem,
                            const GaussianOptions& options, const cuda::HeldMatrix& held) {
  const std::vector<double> shares = class_shares(problem);
  const Eigen::MatrixXd scatter = Rows{x, &held, 1}.scatter();
  std::vector<int32_t> labels;
  for (const int32_t row : problem.train) labels.push_back(problem.labels[row]);
  p.set(problem.train, labels);
  for (int64_t t = 0; t < options.iterations; ++t) {
    const std::vector<double> mass = p.mass();
    const Prototypes prototypes = fit_prototypes(
        p.sums(held), Eigen::Map<const Eigen::VectorXd>(mass.data(), std::ssize(mass)), x, scatter,
        options.shrink);
    const LinearHead head = linear_head(prototypes, problem.classes_alike);
    p = cuda::HeldClasses(held.softmax_times(head.weights.view(), head.offset.data()));
    if (options.class_mass) p.match_mass(shares);
    p.set(problem.train, labels);
  }
  return p.to_host();
}

}  // namespace

void gaussian_prototypes(Matrix& p, const Matrix& x, const Csr& start_graph, const Problem& problem,
                         const GaussianOptions& options,
                         const std::function<Csr(const Matrix& coordinates)>& rebuild,
                         const Context& context, const cuda::HeldMatrix* held) {
  constexpr int64_t kRebuildEvery = 10;
  const int threads = context.threads;
  const Rows rows{x, held, threads};
  const std::vector<double> shares = class_shares(problem);
  const Eigen::MatrixXd scatter = rows.scatter();
  Csr rebuilt;
  std::optional<Propagation> over;
  if (options.smoothing.steps > 0) over.emplace(start_graph, context);
  clamp_training_rows(p, problem);
  for (int64_t t = 0; t < options.iterations; ++t) {
    const Prototypes prototypes = fit_prototypes(p, rows, scatter, options.shrink);
    Matrix next = logits_of(prototypes, rows, problem.classes_alike);
    softmax_rows(next, threads);
    if (over) {
      if (rebuild && t > 0 && t % kRebuildEvery == 0) {
        const Matrix coordinates = separating_coordinates(prototypes, rows);
        rebuilt = rebuild(join(x, coordinates, problem.classes));
        over.emplace(rebuilt, context);
      }
      over->run(p, next, options.smoothing.steps, options.smoothing.alpha);
      normalise_rows(p, shares, threads);
    } else {
      p = std::move(next);
    }
    if (options.class_mass) match_class_mass(p, shares, threads);
    clamp_training_rows(p, problem);
  }
}

LinearHead gaussian_head(const Matrix& p, const Matrix& x, const Problem& problem,
                         const GaussianOptions& options, int threads,
                         const cuda::HeldMatrix* held) {
  const Rows rows{x, held, threads};
  return linear_head(fit_prototypes(p, rows, rows.scatter(), options.shrink),
                     problem.classes_alike);
}

Matrix nearest_means(const Matrix& x, const Problem& problem, int threads) {
  const Matrix y = one_hot(problem);
  Matrix sums(y.cols(), x.cols());
  cpu::gemm(sums.view(), y.view(), x.view(), {.transpose_a = true}, threads);
  std::vector<double> offset(y.cols(), -1e4);  // of a class without training rows
  std::vector<int64_t> count(y.cols(), 0);
  for (const int32_t i : problem.train) ++count[problem.labels[i]];
  const double features = static_cast<double>(x.cols());
  for (int64_t c = 0; c < y.cols(); ++c) {
    if (count[c] == 0) continue;
    double squares = 0;
    for (int64_t f = 0; f < x.cols(); ++f) {
      sums[c][f] /= static_cast<float>(count[c]);
      squares += double{sums[c][f]} * sums[c][f];
    }
    const double share = problem.classes_alike ? 1.0
                                               : static_cast<double>(count[c]) /
                                                     static_cast<double>(problem.train.size());
    offset[c] = -0.5 * squares / features + std::log(share);
  }
  Matrix p(x.rows(), y.cols());
  cpu::gemm(p.view(), x.view(), std::as_const(sums).view(), {.transpose_b = true}, threads);
  for (int64_t i = 0; i < p.rows(); ++i) {
    for (int64_t c = 0; c < p.cols(); ++c) {
      p[i][c] = static_cast<float>(p[i][c] / features + offset[c]);
    }
  }
  softmax_rows(p, threads);
  return p;
}

namespace {

// As nearest_means(), where the device multiplies.
cuda::HeldClasses nearest_means(const Matrix& x, const Problem& problem,
                                const cuda::HeldMatrix& held) {
  const int64_t classes = problem.classes;
  const double features = static_cast<double>(x.cols());
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(x.cols(), classes);
  Eigen::VectorXd count = Eigen::VectorXd::Zero(classes);
  for (const int32_t i : problem.train) {
    mean.col(problem.labels[i]) += map(x).row(i).transpose().cast<double>();
    ++count[problem.labels[i]];
  }
  Matrix offset(1, classes, -1e4f);  // of a class without training rows
  for (int64_t c = 0; c < classes; ++c) {
    if (count[c] == 0) continue;
    mean.col(c) /= count[c];
    const double share = problem.classes_alike ? 1.0 : count[c] / count.sum();
    offset[0][c] = static_cast<float>(std::log(share) - 0.5 * mean.col(c).squaredNorm() / features);
  }
  const Matrix weights = to_matrix(mean / features);
  return cuda::HeldClasses(held.softmax_times(weights.view(), offset.data()));
}

}  // namespace

Stage GaussianOptions::stage_of(Matrix p, const RoundWork& work) const {
  std::vector<float> selection = work.separation(p);
  return {.p = std::move(p),
          .selection = std::move(selection),
          .own_weight = smoothing.own_weight(),
          .state = PrototypeState{work.input, {}}};
}

std::vector<Stage> GaussianOptions::run_round(const RoundWork& work) const {
  const Matrix& x = work.features().dense;
  const int threads = work.context.threads;
  const cuda::HeldMatrix* const held = work.shared.held(work.input);
  if (held && smoothing.steps == 0) {
    const auto spread = [&] {
      const Matrix p = spread_labels(work.graph(), work.problem, class_mass, work.context);
      return cuda::HeldClasses(cuda::HeldMatrix(p.view()));
    };
    return {stage_of(
        prototypes_on_device(start_by_spreading ? spread() : nearest_means(x, work.problem, *held),
                             x, work.problem, *this, *held),
        work)};
  }
  Matrix p = start_by_spreading
                 ? spread_labels(work.graph(), work.problem, class_mass, work.context)
                 : nearest_means(x, work.problem, threads);
  const auto rebuild = [&](const Matrix& coordinates) {
    Features view;
    view.dense = coordinates;
    RowGraphOptions options = work.graph_options;
    options.euclidean = true;
    const Csr* const given = work.shared.given_graph(options.given_edges, work.context);
    return build_row_graph({.views = {&view}, .given = given}, options, work.context);
  };
  gaussian_prototypes(p, x, work.graph(), work.problem, *this, rebuild, work.context, held);
  return {stage_of(std::move(p), work)};
}

void GaussianOptions::finish(KindState& state, const Matrix& p, const RoundWork& work) const {
  state =
      PrototypeState{work.input, gaussian_head(p, work.features().dense, work.problem, *this,
                                               work.context.threads, work.shared.held(work.input))};
}

void GaussianOptions::describe(ModuleNote& note) const {
  if (class_mass) note.add("class_mass");
  note.add("shrink", shrink);
  note.add("steps", static_cast<double>(smoothing.steps));
  note.add("alpha", smoothing.alpha);
  if (start_by_spreading) note.add("start=spread");
}

bool GaussianOptions::is_left_out(const Config& config) const {
  return !config.prototype_heads || (class_mass && !config.class_mass);
}

void GaussianOptions::apply(const Config& config) {
  if (!config.propagation) smoothing.steps = 0;
}

}  // namespace glgnn
