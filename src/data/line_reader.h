// The lines of a text file, plain or gzip, read in pieces: the file may be larger than the memory.
// UTF-16 with its byte order mark, as spreadsheets save "Unicode text", comes out as UTF-8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn {

bool is_utf8(std::string_view bytes);

// Appends a character; a mark of its own where there is none of this number.
void append_utf8(std::string& out, uint32_t code);

// Windows-1252, of which Latin-1 is a part, as UTF-8.
std::string from_windows_1252(std::string_view bytes);

class LineReader {
 public:
  // Throws kIo if the file cannot be opened. Whether it is gzip is seen from its bytes.
  explicit LineReader(const std::filesystem::path& path);

  // The next line with its end, which is \n, \r\n or \r; valid until the next call. False at the
  // end.
  bool next(std::string_view& line);

  // What comes next, at least up to the first character that is no white space, without taking it.
  std::string_view ahead();
  void skip(size_t bytes) { begin_ += bytes; }

  const std::filesystem::path& path() const { return path_; }
  int64_t line() const { return line_; }  // of the line that next() gave, from 1

  // The part of the file that has been read, 0 to 1.
  double part_read() const;

 private:
  bool fill();
  void append(std::string_view bytes);

  std::filesystem::path path_;
  std::shared_ptr<void> file_;  // zlib's
  std::string buffer_;
  size_t begin_ = 0;
  int64_t line_ = 0;
  int64_t bytes_ = 0, unpacked_ = 0;
  bool at_end_ = false;
  enum class Units { kBytes, kLowFirst, kHighFirst } units_ = Units::kBytes;  // of the text
  std::string rest_;  // half a character of UTF-16 that a piece ended with
};

// A whole text file, plain or gzip.
std::string read_text(const std::filesystem::path& path);

// Without blanks (those that do not break too) and line ends around it.
std::string_view trimmed(std::string_view text);

// Its lines as UTF-8, without their ends and blanks around; a last empty line does not count.
std::vector<std::string> read_lines(const std::filesystem::path& path);

// The lower-case extension that says what a file holds: ".csv" for x.csv and for X.CSV.gz.
std::string content_extension(const std::filesystem::path& path);

// The file's name without its folder and these extensions: "x".
std::string content_name(const std::filesystem::path& path);

}  // namespace glgnn
