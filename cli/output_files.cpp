#include "output_files.h"

#include <fmt/format.h>
#include <glgnn/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace glgnn::cli {
namespace {

namespace fs = std::filesystem;

void check_folder(const fs::path& model) {
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::kIo, fmt::format("{}: no such folder for the model; make it with "
                                            "`mkdir -p {}`, or choose another place with --out",
                                            folder.string(), folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(ErrorKind::kIo, fmt::format("{}: cannot write here: {}; choose another place for "
                                            "the model with --out",
                                            folder.string(), std::strerror(errno)));
  }
}

void check_path(const fs::path& path, const std::vector<std::string>& inputs) {
  if (!fs::exists(path)) return;
  if (!fs::is_regular_file(path)) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: found {}, expected a file that can be written; "
                            "choose another place with --out",
                            path.string(), fs::is_directory(path) ? "a folder" : "a device"));
  }
  for (const auto& input : inputs) {
    if (!fs::exists(input) || !fs::equivalent(path, input)) continue;
    throw Error(ErrorKind::kUsage, fmt::format("{}: this file is read by the same command and "
                                               "would be overwritten; choose another place with "
                                               "--out",
                                               path.string()));
  }
}

// NAME.glgnn becomes NAME and `ending`; other names keep theirs before it.
fs::path with_ending(fs::path model, const char* ending) {
  if (model.extension() == ".glgnn") return model.replace_extension(ending);
  return model += ending;
}

}  // namespace

fs::path report_beside(const fs::path& model) { return with_ending(model, ".html"); }

void refuse_to_overwrite(const fs::path& out, const fs::path& input, const std::string& what) {
  if (!fs::exists(out) || !fs::exists(input) || !fs::equivalent(out, input)) return;
  throw Error(ErrorKind::kUsage, out.string() + ": " + what);
}

OutputFiles output_files(const std::string& out, const std::string& name,
                         const std::vector<std::string>& inputs) {
  OutputFiles files;
  files.model = out.empty() ? fs::path(name).filename().string() + ".glgnn" : out;
  files.log = with_ending(files.model, ".jsonl");
  files.report = report_beside(files.model);
  files.checkpoint = files.model.string() + ".checkpoint";
  check_folder(files.model);
  for (const auto& path : {files.model, files.log, files.report, files.checkpoint})
    check_path(path, inputs);
  return files;
}

}  // namespace glgnn::cli
