#include <glgnn/error.h>

#include "core/archive.h"
#include "core/validate.h"
#include "dist/all_pairs.h"
#include "model/walk.h"
#include "train/checkpoint.h"

namespace glgnn {
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

Csr graph_of_all(const Pattern& own, int64_t all_rows, Ranks& ranks) {
  const auto rows = static_cast<int64_t>(own.row_ptr.size()) - 1;
  std::string letter = letter_of(&rows, 1);
  append(letter, own.row_ptr.data(), own.row_ptr.size());
  append(letter, own.col.data(), own.col.size());
  auto all = std::make_shared<Pattern>();
  all->rows = all->cols = all_rows;
  for (const std::string& bytes : ranks.gather(letter)) {
    Letter from(bytes);
    const auto count = from.take<int64_t>(1)[0];
    const auto row_ptr = from.take<int64_t>(static_cast<size_t>(count + 1));
    const int64_t before = all->nnz();
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
    for (Matrix* matrix : {&p->value, &p->mean, &p->square}) {
      const int64_t rows = matrix->rows(), cols = matrix->cols();
      archive(*matrix);
      if (Archive::kReading) check_matrix(p->name, *matrix, rows, cols);
    }
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
  for (const Pattern& own : state.hop_graphs) writer(graph_of_all(own, all_rows, ranks));
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
    for (Pattern& graph : state.hop_graphs) {
      Csr all;
      reader(all);
      check_csr("graph of hops", all, all_rows, all_rows);
      graph = *all.pattern;
    }
    reader.finish();
  });
}

}  // namespace glgnn
