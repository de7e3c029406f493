// Binary files of ours: a magic word, a version, a payload and a checksum; written beside and
// renamed.
//
// Layout: "GLGNN\r\n\x1a" | kind u32 | version u32 | payload size u64 | payload | ByteSum of the
// payload and then of what is before it, which is written last (in version 11 of all in its order,
// up to version 10 FNV-1a of that). Numbers are little-endian as on every machine we build for. One
// `walk(archive, object)` function per type lists its members once, for writing and for reading.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/error.h>
#include <glgnn/matrix.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace glgnn {

enum class FileKind : uint32_t { kModel = 1, kCheckpoint = 2 };

// The version of both file kinds; a change of any walk() raises it. Models stay readable from
// kOldestModel on: what a later version adds is read by archive.since(version, member).
// docs/reliability.md says how a change is made. A checkpoint is read by its own version alone.
inline constexpr uint32_t kFileVersion = 15;
inline constexpr uint32_t kOldestModel = 9;

inline constexpr uint64_t kFnvStart = 14695981039346656037ull;

// The 64-bit FNV-1a sum of some bytes. Each step is one-to-one in the state, so that a change of
// any single byte changes the sum.
uint64_t fnv1a(const void* bytes, size_t size, uint64_t start = kFnvStart);

// The sum of all bytes that are added, however they are cut; some 20 times as fast as FNV-1a,
// because words go to chains that do not wait for each other. It, too, is one-to-one in the state.
class ByteSum {
 public:
  void add(const void* bytes, size_t size);
  uint64_t value() const;

 private:
  static constexpr size_t kChains = 4;
  using Block = std::array<uint64_t, kChains>;

  static uint64_t step(uint64_t state, uint64_t word);
  void add_block(const void* bytes);

  Block chains_{1, 2, 3, 4};
  Block waiting_{};  // bytes that do not fill a block yet; zeros behind them
  uint64_t size_ = 0;
};

inline uint64_t byte_sum(const void* bytes, size_t size) {
  ByteSum sum;
  sum.add(bytes, size);
  return sum.value();
}

// Writes a new file beside `path`, syncs it, and renames it: `path` is old or new, never half.
void write_file_atomically(const std::string& path, std::string_view bytes);

class ArchiveWriter {
 public:
  static constexpr bool kReading = false;

  // Whether matrices and graphs are copied, or stay as they are until save().
  enum class Keeps { kCopies, kPlaces };
  explicit ArchiveWriter(Keeps keeps = Keeps::kCopies) : keeps_(keeps) {}

  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    put(&value, sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<uint64_t>(text.size()));
    put(text.data(), text.size());
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(static_cast<uint64_t>(list.size()));
    if constexpr (std::is_arithmetic_v<T>) {
      put(list.data(), list.size() * sizeof(T));
    } else {
      for (const T& item : list) (*this)(item);
    }
  }
  void operator()(const Matrix& matrix);
  void operator()(const Csr& csr);
  template <class T>
  void since(uint32_t, const T& value) {
    (*this)(value);
  }

  uint32_t version() const { return kFileVersion; }

  // Another thread begins to write the file with what was put so far; what comes later follows at
  // save(), of the same path. What stays in its place must do so until then.
  void begin(const std::string& path);
  // `path` is old or new, never half.
  void save(const std::string& path, FileKind kind);

 private:
  // Own bytes, or those of somebody else.
  struct Piece {
    std::string own;
    std::string_view other = {};

    std::string_view bytes() const { return other.empty() ? std::string_view(own) : other; }
  };
  struct File;

  void put(const void* bytes, size_t size);
  template <class T>
  void put_numbers(const T* numbers, int64_t count);

  Keeps keeps_;
  // Pieces, because one string would need twice the memory while it grows.
  std::vector<Piece> pieces_;
  std::shared_ptr<File> file_;  // that was begun
};

class ArchiveReader {
 public:
  static constexpr bool kReading = true;

  // Reads the whole file and checks magic, kind, version, size and checksum before anything is
  // used.
  ArchiveReader(const std::string& path, FileKind kind);

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    take(&value, sizeof value);
  }
  void operator()(bool& value);
  void operator()(std::string& text) {
    text.resize(take_size(1));
    take(text.data(), text.size());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    if constexpr (std::is_arithmetic_v<T>) {
      list.resize(take_size(sizeof(T)));
      take(list.data(), list.size() * sizeof(T));
    } else {
      list.clear();
      for (uint64_t left = take_size(1); left > 0; --left) (*this)(list.emplace_back());
    }
  }
  void operator()(Matrix& matrix);
  void operator()(Csr& csr);  // check_csr() has passed
  // A member that files of this version and later ones have; in others it keeps its value.
  template <class T>
  void since(uint32_t version, T& value) {
    if (version_ >= version) (*this)(value);
  }

  // Calls read(), whose errors name the file.
  template <class Read>
  void named(Read&& read) const {
    try {
      read();
    } catch (const Error& error) {
      throw Error(ErrorKind::kData, path_ + ": " + error.what());
    }
  }
  uint32_t version() const { return version_; }
  [[noreturn]] static void damaged();
  // Everything must have been read.
  void finish() const;
  // How many items follow: at most as many as the rest of the file can hold.
  uint64_t take_size(size_t item_size);

 private:
  void take(void* to, size_t size);

  std::string path_;
  std::string bytes_;
  uint32_t version_ = kFileVersion;
  size_t at_ = 0, end_ = 0;
};

// A list of anything that `walk_item(archive, item)` can write and read.
template <class Archive, class List, class WalkItem>
void walk_list(Archive& archive, List& list, WalkItem&& walk_item) {
  if constexpr (Archive::kReading) {
    list.clear();
    for (uint64_t left = archive.take_size(1); left > 0; --left) {
      walk_item(archive, list.emplace_back());
    }
  } else {
    archive(static_cast<uint64_t>(list.size()));
    for (auto& item : list) walk_item(archive, item);
  }
}

}  // namespace glgnn
