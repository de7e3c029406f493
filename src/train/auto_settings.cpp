#include <glgnn/trainer.h>

#include <algorithm>

namespace glgnn {
namespace {

// As the paper: many neighbours in small tables, 10 to 20 in large ones.
int64_t default_k(int64_t rows) {
  const int64_t wanted = rows < 800 ? rows / 4 : rows < 5000 ? 20 : 10;
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, rows - 1));
}

}  // namespace

Config resolve_auto(Config config, const Dataset& dataset) {
  if (config.k == 0) config.k = dataset.paper_k > 0 ? dataset.paper_k : default_k(dataset.rows());
  if (config.epochs == 0) config.epochs = dataset.paper_epochs > 0 ? dataset.paper_epochs : 200;
  return config;
}

int64_t estimate_memory(const Features& features, int64_t classes, const Config& config) {
  const int64_t n = features.rows(), d = features.cols() + classes;
  const int64_t word = 4;
  // Features, and for each module Z, its gradient and the dropped-out features.
  const int64_t numbers = features.is_sparse ? features.sparse.nnz() + n : n * d;
  const int64_t own = features.is_sparse ? 6 * numbers * word : numbers * word;
  const int64_t selected = 3 * numbers * word;
  // Two graphs with values, gradients, columns and transposes, at each step from choice to norm.
  const int64_t kept = std::min(config.k + 1, n);
  const int64_t graphs = n * kept * 90;
  // Near pairs: at most k + k^2 + ... within K hops, and never more than n.
  int64_t near = 0, shell = 1;
  for (int64_t hop = 0; hop < config.hops && near < n; ++hop) near += shell *= config.k;
  const int64_t hops = n * std::min(near, n) * 10;
  const int64_t layers = n * (6 * config.hidden + 10 * classes) * word;
  const int64_t weights = 6 * features.cols() * (config.hidden + 1) * word;
  const int64_t network = 8 * n * classes * word;
  return own + network + config.modules * (selected + graphs + hops + layers + weights);
}

}  // namespace glgnn
