#include "core/archive.h"

#include <glgnn/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include "core/new_file.h"
#include "core/validate.h"

namespace glgnn {
namespace {

constexpr std::array<char, 8> kMagic{'G', 'L', 'G', 'N', 'N', '\r', '\n', '\x1a'};

struct Header {
  std::array<char, 8> magic;
  FileKind kind;
  uint32_t version;
  uint64_t size;
};

const char* kind_name(FileKind kind) { return kind == FileKind::kModel ? "model" : "checkpoint"; }

[[noreturn]] void io_error(const std::string& path, const std::string& what, int code) {
  throw Error(ErrorKind::kIo, path + ": " + what + ": " + std::strerror(code));
}

void check_version(const std::string& path, FileKind kind, uint32_t found) {
  const uint32_t oldest = kind == FileKind::kModel ? kOldestModel : kFileVersion;
  if (found >= oldest && found <= kFileVersion) return;
  const char* reader = found > kFileVersion   ? "the later glgnn that wrote it"
                       : found < kOldestModel ? "glgnn 0.1, which wrote files up to version 7"
                                              : "the glgnn that wrote it";
  const std::string expected =
      (oldest < kFileVersion ? std::to_string(oldest) + " to " : "") + std::to_string(kFileVersion);
  throw Error(ErrorKind::kData, path + ": was written by another version: found file version " +
                                    std::to_string(found) + ", expected " + expected +
                                    "; fit again, or read it with " + reader);
}

// Of the bytes of a file, as its version sums them.
uint64_t sum_of(const std::string& bytes, uint32_t version) {
  constexpr uint32_t kLastFnv = 10, kLastInOrder = 11;
  const size_t summed = bytes.size() - sizeof(uint64_t);
  if (version <= kLastFnv) return fnv1a(bytes.data(), summed);
  if (version <= kLastInOrder) return byte_sum(bytes.data(), summed);
  ByteSum sum;
  sum.add(bytes.data() + sizeof(Header), summed - sizeof(Header));
  sum.add(bytes.data(), sizeof(Header));
  return sum.value();
}

}  // namespace

uint64_t fnv1a(const void* bytes, size_t size, uint64_t start) {
  uint64_t sum = start;
  for (size_t i = 0; i < size; ++i) {
    sum = (sum ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211ull;
  }
  return sum;
}

uint64_t ByteSum::step(uint64_t state, uint64_t word) {
  const uint64_t product = (state ^ word) * 0x9e3779b97f4a7c15ull;
  return product ^ (product >> 32);
}

void ByteSum::add_block(const void* bytes) {
  Block words;
  std::memcpy(words.data(), bytes, sizeof words);
  for (size_t c = 0; c < kChains; ++c) chains_[c] = step(chains_[c], words[c]);
}

void ByteSum::add(const void* bytes, size_t size) {
  if (size == 0) return;
  const char* from = static_cast<const char*>(bytes);
  const size_t held = size_ % sizeof waiting_;
  size_ += size;
  if (held > 0) {
    const size_t more = std::min(size, sizeof waiting_ - held);
    std::memcpy(reinterpret_cast<char*>(waiting_.data()) + held, from, more);
    if (held + more < sizeof waiting_) return;
    add_block(waiting_.data());
    from += more;
    size -= more;
  }
  for (; size >= sizeof waiting_; from += sizeof waiting_, size -= sizeof waiting_) add_block(from);
  waiting_.fill(0);
  std::memcpy(waiting_.data(), from, size);
}

uint64_t ByteSum::value() const {
  uint64_t sum = size_;
  for (size_t c = 0; c < kChains; ++c) sum = step(sum, step(chains_[c], waiting_[c]));
  return sum;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  NewFile file(path);
  file.write(bytes);
  file.commit();
}

void ArchiveWriter::operator()(const Matrix& matrix) {
  (*this)(matrix.rows());
  (*this)(matrix.cols());
  put_numbers(matrix.data(), matrix.size());
}

void ArchiveWriter::operator()(const Csr& csr) {
  (*this)(csr.pattern->rows);
  (*this)(csr.pattern->cols);
  const auto put_list = [&](const auto& list) {
    (*this)(static_cast<uint64_t>(list.size()));
    put_numbers(list.data(), std::ssize(list));
  };
  put_list(csr.pattern->row_ptr);
  put_list(csr.pattern->col);
  put_list(csr.values);
}

void ArchiveWriter::put(const void* bytes, size_t size) {
  constexpr size_t kPiece = size_t{1} << 22;
  const bool fits = !pieces_.empty() && pieces_.back().other.empty() &&
                    pieces_.back().own.size() + size <= kPiece;
  if (!fits) pieces_.emplace_back().own.reserve(std::max(size, kPiece));
  pieces_.back().own.append(static_cast<const char*>(bytes), size);
}

template <class T>
void ArchiveWriter::put_numbers(const T* numbers, int64_t count) {
  constexpr size_t kWorthAPiece = size_t{1} << 16;
  const size_t size = static_cast<size_t>(count) * sizeof(T);
  if (keeps_ == Keeps::kCopies || size < kWorthAPiece) return put(numbers, size);
  pieces_.push_back({.own = {}, .other = {reinterpret_cast<const char*>(numbers), size}});
}

struct ArchiveWriter::File {
  NewFile file;
  ByteSum sum;
  uint64_t size = 0;
  std::future<void> begun;  // the last member: what it uses lives longer

  explicit File(const std::string& path) : file(path) {
    const Header later{};  // its size is not known yet
    file.write({reinterpret_cast<const char*>(&later), sizeof later});
  }

  void add(const std::vector<Piece>& pieces) {
    // Summed beside the writing: both take as long.
    const std::future<void> summed = std::async(std::launch::async | std::launch::deferred, [&] {
      for (const Piece& piece : pieces) sum.add(piece.bytes().data(), piece.bytes().size());
    });
    for (const Piece& piece : pieces) {
      file.write(piece.bytes());
      size += piece.bytes().size();
    }
    summed.wait();
  }

  void finish(FileKind kind) {
    const Header header{kMagic, kind, kFileVersion, size};
    sum.add(&header, sizeof header);
    const uint64_t end = sum.value();
    file.write({reinterpret_cast<const char*>(&end), sizeof end});
    file.write_start({reinterpret_cast<const char*>(&header), sizeof header});
    file.commit();
  }
};

void ArchiveWriter::begin(const std::string& path) {
  file_ = std::make_shared<File>(path);
  file_->begun = std::async(std::launch::async | std::launch::deferred,
                            [file = file_.get(), pieces = std::exchange(pieces_, {})] {
                              file->add(pieces);
                              file->file.sync();
                            });
}

void ArchiveWriter::save(const std::string& path, FileKind kind) {
  if (file_) {
    file_->begun.get();
  } else {
    file_ = std::make_shared<File>(path);
  }
  file_->add(pieces_);
  file_->finish(kind);
  file_.reset();
}

ArchiveReader::ArchiveReader(const std::string& path, FileKind kind) : path_(path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) throw Error(ErrorKind::kIo, path + ": no such file");
  if (!std::filesystem::is_regular_file(status)) {  // which may have no end
    const char* found = std::filesystem::is_directory(status) ? "folder"
                        : std::filesystem::is_fifo(status)    ? "pipe"
                                                              : "device";
    throw Error(ErrorKind::kIo,
                path + ": is a " + found + ", expected a " + kind_name(kind) + " file");
  }
  std::ifstream in(path, std::ios::binary);
  Header header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (in.bad() || !in.is_open()) io_error(path, "cannot be read", errno);
  if (header.magic != kMagic || !in) {
    throw Error(ErrorKind::kData, path + ": is not a file of this program: expected a " +
                                      kind_name(kind) + " written by `glgnn fit`");
  }
  check_version(path, kind, header.version);
  version_ = header.version;
  uint64_t sum = 0;
  constexpr size_t kAround = sizeof header + sizeof sum;
  const uintmax_t size = std::filesystem::file_size(path, code);
  if (size < kAround || header.size != size - kAround) {
    const bool is_short = size < header.size + kAround;
    throw Error(ErrorKind::kData,
                path + (is_short ? ": is truncated" : ": has more than it should") + ": found " +
                    std::to_string(size) + " bytes, expected " +
                    std::to_string(header.size + kAround) + "; copy it again, or fit again");
  }
  bytes_.resize(size);
  std::memcpy(bytes_.data(), &header, sizeof header);
  in.read(bytes_.data() + sizeof header, static_cast<std::streamsize>(size - sizeof header));
  if (!in) io_error(path, "cannot be read", errno);
  std::memcpy(&sum, bytes_.data() + bytes_.size() - sizeof sum, sizeof sum);
  if (sum != sum_of(bytes_, version_)) named([] { damaged(); });
  if (header.kind != kind) {
    throw Error(ErrorKind::kData,
                path + ": is a " + kind_name(header.kind) + ", expected a " + kind_name(kind));
  }
  at_ = sizeof header;
  end_ = bytes_.size() - sizeof sum;
}

void ArchiveReader::damaged() {
  throw Error(ErrorKind::kData,
              "is damaged: found other bytes than were written; copy it again, or fit again");
}

uint64_t ArchiveReader::take_size(size_t item_size) {
  uint64_t size = 0;
  (*this)(size);
  if (size > (end_ - at_) / item_size) damaged();
  return size;
}

void ArchiveReader::take(void* to, size_t size) {
  if (size > end_ - at_) damaged();
  if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
  at_ += size;
}

void ArchiveReader::operator()(bool& value) {
  uint8_t byte = 0;
  take(&byte, sizeof byte);
  if (byte > 1) damaged();
  value = byte == 1;
}

void ArchiveReader::operator()(Matrix& matrix) {
  int64_t rows = 0, cols = 0;
  (*this)(rows);
  (*this)(cols);
  const int64_t room = static_cast<int64_t>((end_ - at_) / sizeof(float));
  if (rows < 0 || cols < 0 || (cols > 0 && rows > room / cols)) damaged();
  matrix = Matrix(rows, cols);
  take(matrix.data(), matrix.size() * sizeof(float));
}

void ArchiveReader::operator()(Csr& csr) {
  auto pattern = std::make_shared<Pattern>();
  (*this)(pattern->rows);
  (*this)(pattern->cols);
  (*this)(pattern->row_ptr);
  (*this)(pattern->col);
  (*this)(csr.values);
  csr.pattern = std::move(pattern);
  check_csr("sparse matrix", csr);
}

void ArchiveReader::finish() const {
  if (at_ != end_) damaged();
}

}  // namespace glgnn
