#include "train/checkpoint.h"

#include <glgnn/error.h>

#include "core/archive.h"
#include "core/validate.h"
#include "model/walk.h"

namespace glgnn {

uint64_t fingerprint(const Problem& problem) {
  const Features& x = *problem.features;
  ByteSum sum;
  const auto add = [&](const auto& list) {
    sum.add(list.data(), static_cast<size_t>(list.size()) * sizeof(*list.data()));
  };
  const auto add_csr = [&](const Csr& csr) {
    add(csr.pattern->row_ptr);
    add(csr.pattern->col);
    add(csr.values);
  };
  if (x.is_sparse) {
    add_csr(x.sparse);
  } else {
    add(x.dense);
  }
  if (problem.graph) add_csr(*problem.graph);
  add(problem.labels);
  add(problem.train);
  add(problem.val);
  return sum.value();
}

namespace {

template <class Archive, class S>
void walk_state(Archive& archive, S& state) {
  archive(state.epoch);
  walk_list(archive, state.history, [](Archive& a, auto& report) { walk_report(a, report); });
  archive(state.best.epoch);
  archive(state.best.val_accuracy);
  archive(state.best.parameters);
  archive(state.best.probabilities);
  archive(state.best.network);
  archive(state.best.module_graphs);
  archive(state.best.module_probabilities);
  EpochEstimate::walk(archive, state.estimate);
}

// A matrix whose shape the settings and the data say.
template <class Archive>
void walk_known(Archive& archive, const std::string& what, Matrix& matrix) {
  const int64_t rows = matrix.rows(), cols = matrix.cols();
  archive(matrix);
  if (Archive::kReading) check_matrix(what, matrix, rows, cols);
}

template <class Archive>
void walk_model_state(Archive& archive, GlGnn& model, int64_t rows) {
  for (Parameter* p : model.parameters()) {
    walk_known(archive, p->name, p->value);
    walk_known(archive, p->name, p->mean);
    walk_known(archive, p->name, p->square);
  }
  for (SubModule& module : model.modules()) {
    Csr hop_graph = module.hop_graph();
    archive(hop_graph);
    if (Archive::kReading && hop_graph.rows() > 0) {
      check_csr("graph of hops", hop_graph, rows, rows);
      module.set_hop_graph(hop_graph);
    }
    module.neighbours().walk(archive, rows);
  }
  walk_known(archive, "last prediction", model.network().previous());
}

void check_state(const TrainState& state, GlGnn& model, const Problem& problem,
                 const Config& config) {
  const int64_t n = problem.features->rows();
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  const BestEpoch& best = state.best;
  check_range("epochs", state.epoch, 1, config.epochs);
  check_count("history", count(state.history), state.epoch);
  check_range("best epoch", best.epoch, 1, state.epoch);
  const std::vector<Parameter*> parameters = model.parameters();
  check_count("parameters", count(best.parameters), count(parameters));
  for (size_t p = 0; p < parameters.size(); ++p) {
    const Matrix& value = parameters[p]->value;
    check_matrix(parameters[p]->name, best.parameters[p], value.rows(), value.cols());
  }
  check_probabilities("prediction", best.probabilities, n, problem.classes);
  check_matrix("network of graphs", best.network, config.modules + 1, config.modules + 1);
  check_count("graphs", count(best.module_graphs), config.modules);
  for (const Csr& graph : best.module_graphs) check_csr("graph", graph, n, n);
  check_count("predictions", count(best.module_probabilities), config.modules);
  for (const Matrix& p : best.module_probabilities) {
    check_probabilities("prediction of a module", p, n, problem.classes);
  }
  state.estimate.check();
}

void check_same_settings(const std::string& path, const Config& saved, const Config& now) {
  for (const Setting& setting : list_settings(now)) {
    const std::string before = get_setting(saved, setting.name);
    if (before == setting.value) continue;
    throw Error(ErrorKind::kUsage,
                path + ": was made with other settings: found " + setting.name + " = " + before +
                    ", expected " + setting.value +
                    "; resume with the same settings, or start without --resume");
  }
}

}  // namespace

void write_checkpoint_head(ArchiveWriter& writer, const Problem& problem, const Config& config) {
  walk_config(writer, config);
  writer(fingerprint(problem));
}

void read_checkpoint_head(ArchiveReader& reader, const std::string& path, const Problem& problem,
                          const Config& config) {
  read_checkpoint_settings(reader, path, config);
  uint64_t data = 0;
  reader(data);
  if (data != fingerprint(problem)) refuse_other_data(path);
}

void read_checkpoint_settings(ArchiveReader& reader, const std::string& path,
                              const Config& config) {
  Config saved;
  reader.named([&] { walk_config(reader, saved); });
  check_same_settings(path, saved, config);
}

void refuse_other_data(const std::string& path) {
  throw Error(ErrorKind::kUsage,
              path +
                  ": was made from other data (features, labels, graph or split "
                  "differ); resume with the same files, or start without --resume");
}

void save_checkpoint(const std::string& path, const TrainState& state, GlGnn& model,
                     const Problem& problem, const Config& config) {
  ArchiveWriter writer;
  write_checkpoint_head(writer, problem, config);
  walk_state(writer, state);
  walk_model_state(writer, model, problem.features->rows());
  writer.save(path, FileKind::kCheckpoint);
}

void load_checkpoint(const std::string& path, TrainState& state, GlGnn& model,
                     const Problem& problem, const Config& config) {
  ArchiveReader reader(path, FileKind::kCheckpoint);
  read_checkpoint_head(reader, path, problem, config);
  reader.named([&] {
    walk_state(reader, state);
    check_state(state, model, problem, config);
    walk_model_state(reader, model, problem.features->rows());
    reader.finish();
  });
}

}  // namespace glgnn
