#include "output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glgnn/error.h>
#include <sys/file.h>
#include <sys/stat.h>
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

namespace {

// False when the file we opened was removed by the run that held it: then nobody else can see ours.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& file, const std::string& what,
                   const std::string& option)
    : path_(file.string() + ".lock") {
  while (true) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) {
      throw Error(ErrorKind::kIo, path_.parent_path().string() +
                                      ": cannot write here: " + std::strerror(errno) +
                                      "; choose another place for the " + what + " with " + option);
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int code = errno;
      ::close(file_);
      if (code == EWOULDBLOCK) {
        throw Error(ErrorKind::kIo, file.string() + ": another run is writing this " + what +
                                        "; wait for it, or choose another place with " + option);
      }
      throw Error(ErrorKind::kIo, path_.string() + ": cannot lock: " + std::strerror(code));
    }
    if (still_there(file_, path_)) return;
    ::close(file_);
  }
}

LockFile::~LockFile() {
  ::unlink(path_.c_str());
  ::close(file_);
}

void check_checkpoint(const std::filesystem::path& checkpoint, bool resume, bool restart) {
  const bool there = std::filesystem::exists(checkpoint);
  if (resume && !there) {
    throw Error(ErrorKind::kIo, checkpoint.string() +
                                    ": no such checkpoint, so there is nothing to resume; start "
                                    "without --resume, or name the model it belongs to with --out");
  }
  if (there && !resume && !restart) {
    throw Error(ErrorKind::kUsage, checkpoint.string() +
                                       ": holds the state of a run that was interrupted; continue "
                                       "it with --resume, or discard it with --restart");
  }
  if (restart) std::filesystem::remove(checkpoint);
}

}  // namespace glgnn::cli
