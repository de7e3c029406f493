#include "train/pool_checkpoint.h"

#include <glgnn/error.h>

#include "core/archive.h"
#include "train/checkpoint.h"

namespace glgnn {
namespace {

template <class Archive, class Result>
void walk_stage(Archive& archive, Result& module) {
  archive(module.stage.p);
  archive(module.stage.selection);
  archive(module.stage.own_weight);
  walk_kind(archive, module.stage.state);
  archive(module.score.accuracy);
  archive(module.score.log_likelihood);
  archive(module.score.optimism);
  archive(module.looks);
  archive(module.graph_selection);
  archive(module.graph_knows_labels);
  Csr graph;
  if constexpr (!Archive::kReading) graph = *module.graph;
  archive(graph);
  if constexpr (Archive::kReading) module.graph = std::make_shared<const Csr>(std::move(graph));
}

}  // namespace

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
                  const Config& config) {
  ArchiveReader reader(path, FileKind::kCheckpoint);
  read_checkpoint_head(reader, path, problem, config);
  uint64_t size = 0;
  reader(size);
  if (size != modules.size()) {
    throw Error(ErrorKind::kData, path + ": holds " + std::to_string(size) + " modules, expected " +
                                      std::to_string(modules.size()) + "; start without --resume");
  }
  for (auto& module : modules) {
    uint64_t stages = 0;
    reader(stages);
    if (stages == 0) continue;
    module.emplace();
    for (uint64_t s = 0; s < stages; ++s) walk_stage(reader, module->emplace_back());
  }
  reader.finish();
}

}  // namespace glgnn
