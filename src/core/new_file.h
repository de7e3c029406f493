// Files that appear as a whole: written beside their place, synced and renamed, so that whoever
// reads the path finds the old file or the new one, never half of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glgnn {

// Where the new file of `path` is written until it is complete. A link is followed; kIo where there
// is something that is no regular file. Removes what has this name already, and what processes that
// are gone left beside `path`; whoever creates the file must not follow a link (O_EXCL).
std::string name_beside(const std::string& path);

// Waits until a file that somebody else wrote is on the disk.
void sync_file(const std::string& path);

// Renames the complete and synced file `beside` to `path`; removes it if that fails.
void put_in_place(const std::string& beside, const std::string& path);

// A file that is written piece by piece; it is removed unless commit() is reached.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes);
  // Over what was written first.
  void write_start(std::string_view bytes);
  // Waits until all of it so far is on the disk.
  void sync();
  void commit();

 private:
  void close();

  std::string path_, beside_;
  int file_ = -1;
  int64_t written_ = 0, on_their_way_ = 0;  // bytes; those that the disk was told of
};

}  // namespace glgnn
