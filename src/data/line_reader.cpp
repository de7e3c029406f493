#include "data/line_reader.h"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "data/file.h"
#include "data/message.h"

namespace glgnn {
namespace {

// A small file needs no large piece.
size_t piece_of(int64_t file_bytes) {
  return static_cast<size_t>(std::clamp<int64_t>(file_bytes, 1 << 12, 1 << 18));
}

gzFile as_gz(const std::shared_ptr<void>& file) { return static_cast<gzFile>(file.get()); }

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& found) {
  fail(ErrorKind::kData, {path},
       {"truncated or damaged .gz file", found, "a whole gzip file", "write or download it again"});
}

// `text` begins on this line; what lies before `checked` is known to be good.
void check_text(std::string_view text, size_t checked, const Place& place) {
  const bool has_mark =
      place.line == 1 && (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"));
  const size_t zero = has_mark ? 0 : text.find('\0', checked);
  if (zero == std::string_view::npos) return;
  const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(zero), '\n');
  fail(ErrorKind::kData, {place.file, place.line + lines},
       {"not UTF-8 text",
        has_mark ? "a UTF-16 byte order mark"
                 : "a byte 0, which UTF-16 and files of other kinds have",
        "UTF-8", "save the file as \"CSV UTF-8\" or convert it with iconv"});
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& path) : path_(path) {
  require_file(path);
  gzFile const file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    fail(ErrorKind::kIo, {path},
         {"cannot be opened", path.string(), "a file you may read", "check its permissions"});
  }
  file_ = std::shared_ptr<void>(file, [](void* f) { gzclose(static_cast<gzFile>(f)); });
  std::error_code ignored;
  const uintmax_t size = std::filesystem::file_size(path, ignored);
  bytes_ = ignored ? 0 : static_cast<int64_t>(size);
  gzbuffer(file, static_cast<unsigned>(piece_of(bytes_)));
}

// Appends a piece; false where there is none left.
bool LineReader::fill() {
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t old = buffer_.size(), piece = piece_of(bytes_);
  buffer_.resize(old + piece);
  const int got = gzread(as_gz(file_), buffer_.data() + old, static_cast<unsigned>(piece));
  buffer_.resize(old + static_cast<size_t>(std::max(got, 0)));
  int code = Z_OK;
  const char* const text = gzerror(as_gz(file_), &code);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code == Z_ERRNO) {
    fail(ErrorKind::kIo, {path_},
         {"reading failed", path_.string(), "a file that can be read to its end",
          "check the disk and try again"});
  }
  if (got < 0 || code != Z_OK) {
    const std::string name = path_.string() + ": ";
    std::string found = text;
    if (found.starts_with(name)) found.erase(0, name.size());
    damaged(path_, found);
  }
  check_text(buffer_, old, {path_, line_ + 1});
  unpacked_ += got;
  check_unpacked(unpacked_, bytes_, {path_}, "unpack it with gunzip first");
  at_end_ = got == 0;
  return !at_end_;
}

bool LineReader::next(std::string_view& line) {
  size_t scanned = 0;
  size_t end = std::string::npos;
  while ((end = buffer_.find_first_of("\r\n", begin_ + scanned)) == std::string::npos) {
    scanned = buffer_.size() - begin_;
    check_line(static_cast<int64_t>(scanned), bytes_, {path_, line_ + 1});
    if (!fill()) break;
  }
  if (end == std::string::npos) {
    end = buffer_.size();
  } else {
    end += 1;
    if (end == buffer_.size() && buffer_[end - 1] == '\r') {
      const size_t length = end - begin_;  // fill() moves what is left to the front
      fill();
      end = begin_ + length;
    }
    if (end < buffer_.size() && buffer_[end - 1] == '\r' && buffer_[end] == '\n') ++end;
  }
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = end;
  line_ += !line.empty();
  return !line.empty();
}

std::string_view LineReader::ahead() {
  size_t scanned = 0;  // a file may begin with any number of blank lines
  while (buffer_.find_first_not_of(" \t\r\n\xEF\xBB\xBF", begin_ + scanned) == std::string::npos) {
    scanned = buffer_.size() - begin_;
    if (!fill()) break;
  }
  return std::string_view(buffer_).substr(begin_);
}

double LineReader::part_read() const {
  if (bytes_ <= 0) return 1;
  return std::min(1.0, static_cast<double>(gzoffset(as_gz(file_))) / static_cast<double>(bytes_));
}

std::string read_text(const std::filesystem::path& path) {
  LineReader lines(path);
  std::string text;
  for (std::string_view line; lines.next(line);) text += line;
  return text;
}

std::string content_extension(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".gz" ? extension_of(path.stem()) : extension;
}

std::string content_name(const std::filesystem::path& path) {
  const std::filesystem::path stem = path.stem();
  return extension_of(path) == ".gz" ? stem.stem().string() : stem.string();
}

}  // namespace glgnn
