#include "data/line_reader.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "data/file.h"
#include "data/message.h"
#include "data/other_files.h"

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
  const size_t zero = text.find('\0', checked);
  if (zero == std::string_view::npos) return;
  const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(zero), '\n');
  fail(ErrorKind::kData, {place.file, place.line + lines},
       {"not UTF-8 text", "a byte 0, which files of other kinds have, and UTF-16 without its mark",
        "UTF-8, or UTF-16 with a byte order mark",
        "save the file as \"CSV UTF-8\" or convert it with iconv"});
}

constexpr uint32_t kUnknown = 0xFFFD;

// What the bytes 0x80 to 0x9F mean; the others are the characters of their own number.
constexpr std::array<uint32_t, 32> kHighControls{
    0x20AC,   kUnknown, 0x201A, 0x0192, 0x201E, 0x2026,   0x2020, 0x2021,
    0x02C6,   0x2030,   0x0160, 0x2039, 0x0152, kUnknown, 0x017D, kUnknown,
    kUnknown, 0x2018,   0x2019, 0x201C, 0x201D, 0x2022,   0x2013, 0x2014,
    0x02DC,   0x2122,   0x0161, 0x203A, 0x0153, kUnknown, 0x017E, 0x0178};

// The bytes of the character that begins with this one; 0 where none does.
size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// The characters of UTF-16 as UTF-8; how many bytes were read. Half a character at the end is left
// for the next call, unless there is none. What is no character becomes a mark of its own.
size_t append_utf16(std::string& out, std::string_view bytes, bool low_first, bool at_end) {
  const auto unit_at = [&](size_t at) -> uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return low_first ? first | second << 8 : second | first << 8;
  };
  const auto is_between = [](uint32_t unit, uint32_t low, uint32_t high) {
    return unit >= low && unit <= high;
  };
  size_t at = 0;
  for (; at + 2 <= bytes.size(); at += 2) {
    const uint32_t unit = unit_at(at);
    if (is_between(unit, 0xD800, 0xDBFF)) {  // the first of two
      if (at + 4 > bytes.size() && !at_end) return at;
      const uint32_t second = at + 4 <= bytes.size() ? unit_at(at + 2) : 0;
      if (is_between(second, 0xDC00, 0xDFFF)) {
        append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00));
        at += 2;
        continue;
      }
    }
    append_utf8(out, unit);
  }
  if (at_end && at < bytes.size()) append_utf8(out, kUnknown);
  return at_end ? bytes.size() : at;
}

constexpr std::string_view kLowFirstMark = "\xFF\xFE", kHighFirstMark = "\xFE\xFF",
                           kUtf8Mark = "\xEF\xBB\xBF";

}  // namespace

bool is_utf8(std::string_view bytes) {
  const auto is_follower = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (!bytes.empty()) {
    const size_t length = length_of(static_cast<unsigned char>(bytes[0]));
    if (length == 0 || length > bytes.size()) return false;
    const std::string_view followers = bytes.substr(1, length - 1);
    if (!std::all_of(followers.begin(), followers.end(), is_follower)) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

void append_utf8(std::string& out, uint32_t code) {
  constexpr uint32_t kLast = 0x10FFFF;
  if (code > kLast || (code >= 0xD800 && code <= 0xDFFF)) code = kUnknown;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    }
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::string from_windows_1252(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(out, byte >= 0x80 && byte < 0xA0 ? kHighControls[byte - 0x80] : byte);
  }
  return out;
}

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
  const size_t old = buffer_.size();
  std::string piece(piece_of(bytes_), '\0');
  const int got = gzread(as_gz(file_), piece.data(), static_cast<unsigned>(piece.size()));
  piece.resize(static_cast<size_t>(std::max(got, 0)));
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
  if (unpacked_ == 0) check_is_text(piece, path_);
  append(piece);
  check_text(buffer_, old, {path_, line_ + 1});
  unpacked_ += got;
  check_unpacked(unpacked_, bytes_, {path_}, "unpack it with gunzip first");
  at_end_ = got == 0;
  return !at_end_;
}

// The bytes as UTF-8, which most files are.
void LineReader::append(std::string_view bytes) {
  if (unpacked_ == 0 && bytes.starts_with(kLowFirstMark)) units_ = Units::kLowFirst;
  if (unpacked_ == 0 && bytes.starts_with(kHighFirstMark)) units_ = Units::kHighFirst;
  if (units_ == Units::kBytes) {
    if (unpacked_ == 0 && bytes.starts_with(kUtf8Mark)) bytes.remove_prefix(kUtf8Mark.size());
    buffer_ += bytes;
    return;
  }
  const bool at_end = bytes.empty();
  if (unpacked_ == 0) bytes.remove_prefix(kLowFirstMark.size());
  rest_ += bytes;
  rest_.erase(0, append_utf16(buffer_, rest_, units_ == Units::kLowFirst, at_end));
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
  while (buffer_.find_first_not_of(" \t\r\n", begin_ + scanned) == std::string::npos) {
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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n", kUnbroken = "\xC2\xA0";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    if (text.starts_with(kUnbroken)) {
      text.remove_prefix(kUnbroken.size());
    } else if (text.ends_with(kUnbroken)) {
      text.remove_suffix(kUnbroken.size());
    } else {
      return text;
    }
  }
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::vector<std::string> out;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    out.emplace_back(trimmed(is_utf8(line) ? std::string(line) : from_windows_1252(line)));
  }
  return out;
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
