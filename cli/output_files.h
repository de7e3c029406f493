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

// kIo where there is nothing to `resume`, kUsage where a checkpoint is there and neither is said;
// `restart` removes it.
void check_checkpoint(const std::filesystem::path& checkpoint, bool resume, bool restart);

// One writer at a time: a lock file beside what is written, gone when its run ends.

class LockFile {
 public:
  // Throws kIo when another run holds the lock of `file`, or when its folder cannot be written.
  // `what` the file is, and the option that moves it, are for the text.
  explicit LockFile(const std::filesystem::path& file, const std::string& what = "model",
                    const std::string& option = "--out");
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace glgnn::cli
