#include "train/time_left.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace glgnn {
namespace {

// What a checkpoint holds is there at once, and teaches nothing.
constexpr double kTooShort = 2e-5;

// How much the modules before count beside the last one in how fast this fold is: a machine has
// other work at times.
constexpr double kMemory = 0.95;

std::string kind_of(const std::string& module) {
  const bool after = module.find(" after_network") != std::string::npos;
  return module.substr(0, module.find(' ')) + (after ? " after" : "");
}

// "k" of "spread views=rank k=5 rounds=3" is 5.
double number_of(const std::string& module, const std::string& name, double otherwise) {
  const size_t at = module.find(" " + name + "=");
  return at == std::string::npos ? otherwise : std::atof(module.c_str() + at + name.size() + 2);
}

}  // namespace

// The factors were measured on one machine, with tables of 800 to 30,000 rows and with Cora.
double expected_seconds(const std::string& module, const Problem& problem) {
  const Features& x = *problem.features;
  const auto n = static_cast<double>(x.rows()), columns = static_cast<double>(x.cols());
  const double stored = x.is_sparse ? static_cast<double>(x.sparse.nnz()) : n * columns;
  const auto classes = static_cast<double>(problem.classes);
  const auto labels = static_cast<double>(std::min<size_t>(problem.train.size(), 1000));
  const double rounds = number_of(module, "rounds", 1);  // one after the network
  // Every row is compared with every other one.
  const double graph = x.is_sparse ? 3e-10 * stored * stored / std::max(1.0, columns)
                                   : 1.5e-11 * n * n * (columns + 10);
  const double prototypes = 1.2e-8 * stored * classes;
  const double beyond_cache = 1 + n / 15'000;
  const double layers = (x.is_sparse ? 2.4e-7 : 3.6e-8) * beyond_cache * rounds * stored *
                        number_of(module, "hidden", 32);
  const std::string kind = module.substr(0, module.find(' '));
  if (kind == "gaussian") {
    // With propagation a graph of the separating coordinates is made again and again.
    const double again = number_of(module, "steps", 0) > 0 ? 8 : 0;
    return graph + 1.7e-5 * n + again * 1.5e-11 * n * n * (classes + 10);
  }
  if (kind == "multinomial") return graph + prototypes;
  if (kind == "landmarks") {
    return rounds * graph + 3e-7 * labels * labels * columns + 1e-9 * n * labels * columns;
  }
  if (kind == "trees") {
    const double trees = number_of(module, "trees", 0), leaves = number_of(module, "leaves", 2);
    const double taught = static_cast<double>(problem.train.size());
    return rounds * graph +
           trees * std::log2(leaves) * (1e-9 * taught * columns * (classes + 2) + 5e-9 * n);
  }
  if (kind == "prior") return 2e-5 * n * columns;
  if (kind == "spread") return rounds * (graph + 1e-6 * n * classes);
  return rounds * graph + prototypes + layers;
}

void TimeLeft::finish(double now) {
  const double took = now - now_;
  now_ = now;
  if (done_ == modules_.size()) return;
  const Planned& planned = modules_[done_++];
  if (took < kTooShort) return;
  for (Sum* sum : {&all_, &by_kind_[kind_of(planned.module)]}) {
    sum->seconds += took;
    sum->expected += planned.rule;
  }
  const auto [last, is_new] = last_.try_emplace(planned.module, took);
  if (is_new) return;
  again_.seconds = kMemory * again_.seconds + took;
  again_.expected = kMemory * again_.expected + last->second;
  last->second = took;
}

double TimeLeft::expected(const Planned& planned) const {
  const auto last = last_.find(planned.module);
  if (last != last_.end()) return last->second * again_.ratio();
  const auto kind = by_kind_.find(kind_of(planned.module));
  return planned.rule * (kind != by_kind_.end() ? kind->second : all_).ratio();
}

double TimeLeft::seconds() const {
  double sum = 0;
  for (size_t m = done_; m < modules_.size(); ++m) sum += expected(modules_[m]);
  return sum;
}

}  // namespace glgnn
