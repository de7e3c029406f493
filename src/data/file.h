// Whole files in memory, with errors a person can act on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glgnn {

// Throws kIo if `path` is not a file that can be opened, or no plain file: what cannot be read
// twice goes through an InputFile first.
void require_file(const std::filesystem::path& path);

std::string read_bytes(const std::filesystem::path& path);

// A plain file of which parts are read when they are asked for.
class FileParts {
 public:
  // kIo where it cannot be opened.
  explicit FileParts(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  int64_t size() const { return size_; }
  std::string bytes(int64_t offset, int64_t count) const;
  // The same into memory of that size; safe to call from several threads.
  void read(void* to, int64_t offset, int64_t count) const;
  // A sum of parts from all over the file, which tells two files apart without reading them.
  uint64_t sample_hash() const;

 private:
  std::filesystem::path path_;
  int64_t size_ = 0;
};

// The extension in lower case, with its dot.
std::string extension_of(const std::filesystem::path& path);

// The name of the standard input, where a file is asked for.
inline constexpr const char* kStandardInput = "-";

// Whether a name stands for a stream: the standard input, or a pipe such as <(command) makes.
bool is_stream(const std::filesystem::path& path);

// An input as a file that can be read several times. A file is what it is; a stream is copied into
// a folder of its own, which is removed at the end.
class InputFile {
 public:
  // `extension` says what a stream holds.
  InputFile(const std::filesystem::path& path, const std::string& extension);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void remove_copy() const;

  std::filesystem::path path_, folder_;
};

}  // namespace glgnn
