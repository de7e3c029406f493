
#include <glgnn/error.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/archive.h"
#include "core/validate.h"
#include "train/checkpoint.h"

namespace glgnn {
namespace {

template <class Archive, class Result>
void walk_stage(Archive& archive, Result& module) {
  archive(module.stage.p);
  archive(module.stage.selection);
  archive(module.stage.own_weight);
  archive(module.stage.mixing);
  walk_kind(archive, module.stage.state);
  archive(module.score.accuracy);
  archive(module.score.log_likelihood);
  archive(module.score.handicap);
  archive(module.looks);
  archive(module.graph_selection);
  archive(module.graph_knows_labels);
  Csr graph;
  if constexpr (!Archive::kReading) graph = *module.graph;
  archive(graph);
  if constexpr (Archive::kReading) module.graph = std::make_shared<const Csr>(std::move(graph));
}

void check_stage(const ModuleResult& module, const Problem& problem, SharedInputs& shared) {
  const int64_t n = problem.features->rows(), columns = problem.features->cols();
  const auto check_selection = [&](const std::vector<float>& selection) {
    check_count("selection", static_cast<int64_t>(selection.size()), columns);
    check_finite("selection", selection);
  };
  check_probabilities("soft labels", module.stage.p, n, problem.classes);
  check_selection(module.stage.selection);
  if (!module.graph_selection.empty()) check_selection(module.graph_selection);
  check_number("own weight", module.stage.own_weight, 0, 1);
  check_mixing("mixing", module.stage.mixing, problem.classes);
  check_csr("graph", *module.graph, n, n);
  check_finite("score", std::array{module.score.accuracy, module.score.log_likelihood,
                                   module.score.handicap});
  for (const Matrix& look : module.looks) {
    const auto judged = static_cast<int64_t>(problem.val.size());
    check_probabilities("validation rows", look, judged, problem.classes);
  }
  StateShape fitted{.views = {}, .classes = problem.classes, .is_kept = false};
  std::visit(
      [&](const auto& state) {
        std::set<View> views;
        state.add_views(views);
        for (const View view : views) {
          fitted.views[view] = {shared.view(view).cols(), shared.view(view).is_sparse};
        }
        state.check("state", fitted);
      },
      module.stage.state);
}

// A file for a moment: what is saved and loaded there needs no second way of writing it.
class MomentFile {
 public:
  MomentFile() {
    static std::atomic<int> count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("glgnn." + std::to_string(::getpid()) + "." + std::to_string(++count)))
                .string();
  }
  ~MomentFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::string module_bytes(size_t module, const DoneModules& modules, const Problem& problem,
                         const Config& config) {
  DoneModules alone(modules.size());
  alone[module] = modules[module];
  const MomentFile file;
  save_modules(file.path(), alone, problem, config);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void take_module(const std::string& bytes, DoneModules& modules, const Problem& problem,
                 const Config& config, SharedInputs& shared) {
  const MomentFile file;
  write_file_atomically(file.path(), bytes);
  DoneModules alone(modules.size());
  load_modules(file.path(), alone, problem, config, shared);
  for (size_t m = 0; m < modules.size(); ++m) {
    if (alone[m]) modules[m] = std::move(alone[m]);
  }
}

void save_modules(const std::string& path, const DoneModules& modules, const Problem& problem,
                  const Config& config) {
  ArchiveWriter writer;
  write_checkpoint_head(writer, problem, config);
  writer(static_cast<uint64_t>(modules.size()));
  for (const auto& module : modules) {
    writer(static_cast<uint64_t>(module ? module->size() : 0));
    if (!module) continue;
    for (const ModuleResult& stage : *module) walk_stage(writer, stage);
  }
  writer.save(path, FileKind::kCheckpoint);
}

void load_modules(const std::string& path, DoneModules& modules, const Problem& problem,
                  const Config& config, SharedInputs& shared) {
  ArchiveReader reader(path, FileKind::kCheckpoint);
  read_checkpoint_head(reader, path, problem, config);
  reader.named([&] {
    uint64_t size = 0;
    reader(size);
    check_count("modules", static_cast<int64_t>(size), static_cast<int64_t>(modules.size()));
    for (auto& module : modules) {
      for (uint64_t left = reader.take_size(1); left > 0; --left) {
        if (!module) module.emplace();
        walk_stage(reader, module->emplace_back());
        check_stage(module->back(), problem, shared);
      }
    }
    reader.finish();
  });
}

}  // namespace glgnn
