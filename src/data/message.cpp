#include "data/message.h"

#include <algorithm>

#include "core/available_memory.h"

namespace glgnn {

std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_high = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    out += byte < 0x20 || byte == 0x7F || is_high ? '?' : text[i];
    i += is_high;
  }
  return out;
}

std::string Place::text() const {
  return line > 0 ? file.string() + ":" + std::to_string(line) : file.string();
}

void fail(ErrorKind kind, const Place& place, const Complaint& complaint) {
  throw Error(kind, place.text() + ": " + complaint.wrong + ": found " + quote(complaint.found) +
                        ", expected " + complaint.expected + "; " + complaint.repair);
}

std::string shortened(std::string_view text) {
  constexpr size_t kLongest = 100;
  size_t end = std::min(text.size(), kLongest);
  // A cut inside a UTF-8 character would print as rubbish: go back to where it starts.
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return printable(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

std::string quote(std::string_view text) { return "\"" + shortened(text) + "\""; }

std::string counted(int64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& items, size_t limit) {
  std::string out;
  for (size_t i = 0; i < std::min(limit, items.size()); ++i) {
    out += (i == 0 ? "" : ", ") + shortened(items[i]);
  }
  if (items.size() > limit) out += " and " + std::to_string(items.size() - limit) + " more";
  return out;
}

namespace {

std::string megabytes(double bytes) {
  return std::to_string(static_cast<int64_t>(bytes / (1 << 20))) + " MB";
}

std::string megabytes(int64_t bytes) { return megabytes(static_cast<double>(bytes)); }

// a * b, or the largest number.
int64_t times(int64_t a, int64_t b) { return a > INT64_MAX / b ? INT64_MAX : a * b; }

}  // namespace

void check_columns(int64_t columns, int64_t entries, const Place& place) {
  const int64_t most = std::max(kColumnsAtLeast, times(entries, kColumnsPerEntry));
  if (columns <= std::min<int64_t>(most, INT32_MAX)) return;
  fail(ErrorKind::kData, place,
       {"more columns than so few entries can mean",
        counted(columns, "column") + ", entries: " + std::to_string(entries),
        "at most " + std::to_string(kColumnsAtLeast) + ", or " + std::to_string(kColumnsPerEntry) +
            " for each entry",
        "number the columns that occur from 1 on, without gaps"});
}

void check_rows(int64_t rows, int64_t entries, const Place& place) {
  const int64_t most = std::max(kRowsAtLeast, times(entries, kRowsPerEntry));
  if (rows <= std::min<int64_t>(most, INT32_MAX)) return;
  fail(ErrorKind::kData, place,
       {"more rows than so few entries can mean",
        counted(rows, "row") + ", entries: " + std::to_string(entries),
        "at most " + std::to_string(kRowsAtLeast) + ", or " + std::to_string(kRowsPerEntry) +
            " for each entry",
        "correct the sizes, or leave out the rows without entries"});
}

void check_line(int64_t bytes, int64_t file_bytes, const Place& place) {
  if (bytes <= std::max(kLineAtLeast, file_bytes)) return;
  fail(ErrorKind::kData, place,
       {"a line too long", "more than " + megabytes(bytes - 1),
        "lines of at most " + megabytes(kLineAtLeast) + " in a packed file",
        "unpack the file with gunzip if the line is meant so"});
}

void check_unpacked(int64_t bytes, int64_t file_bytes, const Place& place,
                    const std::string& repair) {
  const int64_t most = std::max(kUnpackedAtLeast, times(file_bytes, kUnpackedPerByte));
  if (bytes <= most) return;
  if (bytes <= available_memory().value_or(0) / kPartOfMemory) return;
  fail(ErrorKind::kData, place,
       {"a small file that unpacks to a large one",
        "more than " + megabytes(bytes - 1) + " of " + megabytes(file_bytes),
        "at most " + megabytes(kUnpackedAtLeast) + ", " + std::to_string(kUnpackedPerByte) +
            " times its size or a part of 1/" + std::to_string(kPartOfMemory) +
            " of the free memory",
        repair});
}

void check_cells(int64_t rows, int64_t columns, const Place& place) {
  constexpr double kSmall = 1 << 24;  // not worth asking
  const double bytes = static_cast<double>(rows) * static_cast<double>(columns) * sizeof(float);
  if (bytes <= kSmall) return;
  const auto available = available_memory();
  if (!available || bytes <= static_cast<double>(*available)) return;
  fail(ErrorKind::kData, place,
       {"the features do not fit into memory",
        counted(rows, "row") + " of " + counted(columns, "feature") + ", " + megabytes(bytes),
        "at most the " + megabytes(*available) + " that are free",
        "leave out rows or columns, or give a sparse matrix (.svm, or .npz by scipy)"});
}

void out_of_memory(const Place& place) {
  const auto available = available_memory();
  fail(
      ErrorKind::kData, place,
      {"out of memory while reading", available ? megabytes(*available) + " free" : "none free",
       "memory for the whole table", "leave out rows or columns, or give the program more memory"});
}

}  // namespace glgnn
