#include "train/checkpoint.h"

#include <glgnn/error.h>

#include "core/archive.h"
#include "core/validate.h"
#include "model/walk.h"
#include "train/edges_over_ranks.h"

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
                    "; resume with the same settings, or start anew with --restart");
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
                  "differ); resume with the same files, or start anew with --restart");
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

// Paper mode where rows are owned by ranks.

namespace {

// The same for any number of ranks: rows are added up.
uint64_t fingerprint_of_all(const Problem& problem, int64_t all_rows, Ranks& ranks) {
  const Matrix& own = problem.features->dense;
  uint64_t rows = 0;
  const auto first =
      static_cast<uint64_t>(rows_of_rank(all_rows, ranks.count(), ranks.self()).begin);
  for (int64_t i = 0; i < own.rows(); ++i) {
    ByteSum row;
    const uint64_t number = first + static_cast<uint64_t>(i);
    row.add(&number, sizeof number);
    row.add(own[i], static_cast<size_t>(own.cols()) * sizeof(float));
    if (problem.graph) {
      const Pattern& graph = *problem.graph->pattern;
      const int64_t begin = graph.row_ptr[number], count = graph.row_ptr[number + 1] - begin;
      row.add(graph.col.data() + begin, static_cast<size_t>(count) * sizeof(int32_t));
      row.add(problem.graph->values.data() + begin, static_cast<size_t>(count) * sizeof(float));
    }
    rows += row.value();
  }
  uint64_t all = 0;
  for (const std::string& letter : ranks.swap(
           std::vector<std::string>(static_cast<size_t>(ranks.count()), letter_of(&rows, 1)))) {
    all += Letter(letter).take<uint64_t>(1)[0];
  }
  ByteSum sum;
  sum.add(&all, sizeof all);
  for (const auto* list : {&problem.labels, &problem.train, &problem.val}) {
    sum.add(list->data(), list->size() * sizeof(int32_t));
  }
  return sum.value();
}

// On rank 0.
Matrix rows_of_all(const Matrix& own, Ranks& ranks) {
  Matrix all;
  std::vector<float> numbers;
  for (const std::string& letter :
       ranks.gather(letter_of(own.data(), static_cast<size_t>(own.size())))) {
    const auto part = Letter(letter).take_rest<float>();
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  if (!ranks.leads()) return all;
  all = Matrix(std::ssize(numbers) / own.cols(), own.cols());
  std::copy(numbers.begin(), numbers.end(), all.data());
  return all;
}

Csr graph_of_all(const Pattern& near_own, Ranks& ranks) {
  const RowRange range = rows_of_rank(near_own.rows, ranks.count(), ranks.self());
  const auto rows = static_cast<size_t>(range.size());
  const int64_t* own = near_own.row_ptr.data() + range.begin;
  std::string letter = letter_of(own, rows + 1);
  append(letter, near_own.col.data() + own[0], static_cast<size_t>(own[rows] - own[0]));
  auto all = std::make_shared<Pattern>();
  all->rows = all->cols = near_own.rows;
  int rank = 0;
  for (const std::string& bytes : ranks.gather(letter)) {
    Letter from(bytes);
    const int64_t count = rows_of_rank(near_own.rows, ranks.count(), rank++).size();
    const auto row_ptr = from.take<int64_t>(static_cast<size_t>(count + 1));
    const int64_t before = all->nnz() - row_ptr[0];
    for (int64_t i = 1; i <= count; ++i) all->row_ptr.push_back(before + row_ptr[i]);
    const auto columns = from.take_rest<int32_t>();
    all->col.insert(all->col.end(), columns.begin(), columns.end());
  }
  const auto entries = static_cast<size_t>(all->nnz());
  return {std::move(all), std::vector<float>(entries, 0.0f)};
}

template <class Archive, class S>
void walk_alike(Archive& archive, S& state) {
  walk_list(archive, state.history, [](Archive& a, auto& report) { walk_report(a, report); });
  archive(state.best_epoch);
  archive(state.best_accuracy);
  EpochEstimate::walk(archive, state.estimate);
  for (Parameter* p : state.alike) {
    for (Matrix* matrix : {&p->value, &p->mean, &p->square}) walk_known(archive, p->name, *matrix);
  }
}

}  // namespace

void save_over_ranks(const std::string& path, OwnState& state, const Problem& problem,
                     int64_t all_rows, const Config& config, Ranks& ranks) {
  ArchiveWriter writer;
  walk_config(writer, config);
  writer(fingerprint_of_all(problem, all_rows, ranks));
  walk_alike(writer, state);
  for (const Matrix* own : state.of_own_rows) writer(rows_of_all(*own, ranks));
  for (const SharedPattern& near : state.hop_graphs) writer(graph_of_all(*near, ranks));
  if (ranks.leads()) writer.save(path, FileKind::kCheckpoint);
}

void load_over_ranks(const std::string& path, OwnState& state, const Problem& problem,
                     int64_t all_rows, const Config& config, Ranks& ranks) {
  ArchiveReader reader(path, FileKind::kCheckpoint);
  read_checkpoint_settings(reader, path, config);
  uint64_t data = 0;
  reader(data);
  if (data != fingerprint_of_all(problem, all_rows, ranks)) refuse_other_data(path);
  const RowRange range = rows_of_rank(all_rows, ranks.count(), ranks.self());
  reader.named([&] {
    walk_alike(reader, state);
    check_range("epochs", std::ssize(state.history), 1, config.epochs);
    check_range("best epoch", state.best_epoch, 1, std::ssize(state.history));
    state.estimate.check();
    for (Matrix* own : state.of_own_rows) {
      Matrix all;
      reader(all);
      check_matrix("rows", all, all_rows, problem.classes);
      *own = Matrix(range.size(), all.cols());
      std::copy_n(std::as_const(all)[range.begin], own->size(), own->data());
    }
    for (SharedPattern& near : state.hop_graphs) {
      Csr all;
      reader(all);
      check_csr("graph of hops", all, all_rows, all_rows);
      near = near_rows(all, range).pattern;
    }
    reader.finish();
  });
}

}  // namespace glgnn
