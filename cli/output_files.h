// The files that one training writes, and whether they can be written at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glgnn::cli {

struct OutputFiles {
  std::filesystem::path model;       // NAME.glgnn
  std::filesystem::path log;         // NAME.jsonl
  std::filesystem::path report;      // NAME.html
  std::filesystem::path checkpoint;  // NAME.glgnn.checkpoint
};

// The report of a model goes beside it: its name with .html.
std::filesystem::path report_beside(const std::filesystem::path& model);

// kUsage, saying that `what` would be overwritten, when `out` is the file `input`.
void refuse_to_overwrite(const std::filesystem::path& out, const std::filesystem::path& input,
                         const std::string& what);

// `out` as typed, or empty for `name`.glgnn in the current folder. kIo when the folder is missing
// or a path is taken by something else; kUsage when one is among `inputs`.
OutputFiles output_files(const std::string& out, const std::string& name,
                         const std::vector<std::string>& inputs);

}  // namespace glgnn::cli
