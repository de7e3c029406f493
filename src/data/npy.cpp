#include "data/npy.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "core/archive.h"
#include "core/parallel.h"
#include "data/file.h"
#include "data/line_reader.h"
#include "data/message.h"

namespace glgnn {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read as little-endian");

[[noreturn]] void damaged(const Place& place, const std::string& found,
                          const std::string& expected) {
  fail(ErrorKind::kData, place,
       {"truncated or damaged .npy array", found, expected, "write it again with numpy.save"});
}

struct Header {
  std::string_view dict;   // the text of a Python dictionary
  std::string_view bytes;  // what follows it
};

Header split_header(std::string_view all, const Place& place) {
  if (!all.starts_with("\x93NUMPY") || all.size() < 10) {
    damaged(place, std::string(all.substr(0, 6)), "an array that begins with \\x93NUMPY");
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(all[i])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) {
    damaged(place, "format version " + std::to_string(version), "version 1, 2 or 3");
  }
  size_t start = 10;
  size_t size = byte(8) | byte(9) << 8;
  if (version > 1) {
    start = 12;
    if (all.size() < start) damaged(place, counted(all.size(), "byte"), "a whole header");
    size |= byte(10) << 16 | byte(11) << 24;
  }
  if (all.size() - start < size) {
    damaged(place, counted(all.size(), "byte"), "a header of " + counted(size, "byte"));
  }
  return {all.substr(start, size), all.substr(start + size)};
}

// The text after 'key': in the dictionary.
std::string_view value_of(std::string_view dict, std::string_view key, const Place& place) {
  size_t at = dict.find("'" + std::string(key) + "'");
  if (at != std::string_view::npos) at = dict.find(':', at + key.size() + 2);
  if (at != std::string_view::npos) at = dict.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos) {
    damaged(place, std::string(dict), "a header with '" + std::string(key) + "'");
  }
  return dict.substr(at);
}

constexpr int kBytesOfCharacter = 4;  // in an array of the kind U

constexpr const char* kConvert =
    "convert it with array.astype(numpy.float32), labels with array.astype(str)";

// Sets kind and width; returns whether the bytes have to be swapped.
bool parse_type(std::string_view value, NpyArray& array) {
  const size_t end = value.size() > 1 && value[0] == '\'' ? value.find('\'', 1) : 0;
  const std::string_view type =
      end != std::string_view::npos && end > 0 ? value.substr(1, end - 1) : value.substr(0, 20);
  if (type.size() >= 3) {
    array.kind = type[1];
    const char* const last = type.data() + type.size();
    const auto [stop, code] = std::from_chars(type.data() + 2, last, array.width);
    const bool whole = stop == last && code == std::errc();
    const int w = array.width;
    const bool is_text = array.is_text() && w > 0 && w <= INT_MAX / kBytesOfCharacter;
    if (array.kind == 'U') array.width *= is_text ? kBytesOfCharacter : 1;
    const bool is_integer =
        (array.kind == 'i' || array.kind == 'u') && (w == 1 || w == 2 || w == 4 || w == 8);
    const bool is_float = array.kind == 'f' && (w == 2 || w == 4 || w == 8);
    const bool is_bool = array.kind == 'b' && w == 1;
    const bool order = std::string_view("<>|=").find(type[0]) != std::string_view::npos;
    if (whole && order && (is_integer || is_float || is_bool || is_text)) {
      return type[0] == '>' && array.kind != 'S';
    }
  }
  fail(
      ErrorKind::kData, array.place,
      {"array of a type that cannot be read", std::string(type),
       "floats of 16 to 64 bits, bool or integers of 8 to 64 bits, labels also as text", kConvert});
}

std::vector<int64_t> parse_shape(std::string_view value, const Place& place) {
  const size_t end = value.find(')');
  if (!value.starts_with('(') || end == std::string_view::npos) {
    damaged(place, std::string(value), "a shape in parentheses");
  }
  std::vector<int64_t> shape;
  std::string_view rest = value.substr(1, end - 1);
  while (rest.find_first_not_of(" ,") != std::string_view::npos) {
    rest.remove_prefix(rest.find_first_not_of(" ,"));
    int64_t size = 0;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (code != std::errc() || size < 0) damaged(place, std::string(value), "a shape of numbers");
    shape.push_back(size);
    rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
  }
  return shape;
}

// Column-major to row-major.
void reorder(NpyArray& array) {
  const auto width = static_cast<size_t>(array.width);
  const auto rows = static_cast<size_t>(array.shape[0]);
  const auto cols = static_cast<size_t>(array.shape[1]);
  std::string out(array.bytes.size(), '\0');
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j) {
      std::memcpy(&out[(i * cols + j) * width], &array.bytes[(j * rows + i) * width], width);
    }
  }
  array.bytes = std::move(out);
}

float float_of_half(uint16_t half) {
  const int power = half >> 10 & 0x1F, rest = half & 0x3FF;
  const float sign = half >> 15 == 0 ? 1.0f : -1.0f;
  if (power == 0x1F) return rest == 0 ? sign * INFINITY : NAN;
  return sign * (power == 0 ? std::ldexp(static_cast<float>(rest), -24)
                            : std::ldexp(static_cast<float>(rest + 0x400), power - 25));
}

// Calls visit(index, number) for all, with the numbers' own type.
template <class T, class Visit>
void visit_as(const NpyArray& array, const Visit& visit) {
  for (size_t i = 0; i < array.bytes.size() / sizeof(T); ++i) {
    T number;
    std::memcpy(&number, &array.bytes[i * sizeof(T)], sizeof(T));
    visit(i, number);
  }
}

template <class Visit>
void for_each_number(const NpyArray& array, const Visit& visit) {
  switch (array.is_text() ? 0 : array.kind * 16 + array.width) {
    case 'f' * 16 + 2:
      return visit_as<uint16_t>(array,
                                [&](size_t i, uint16_t half) { visit(i, float_of_half(half)); });
    case 'f' * 16 + 4:
      return visit_as<float>(array, visit);
    case 'f' * 16 + 8:
      return visit_as<double>(array, visit);
    case 'i' * 16 + 1:
      return visit_as<int8_t>(array, visit);
    case 'i' * 16 + 2:
      return visit_as<int16_t>(array, visit);
    case 'i' * 16 + 4:
      return visit_as<int32_t>(array, visit);
    case 'i' * 16 + 8:
      return visit_as<int64_t>(array, visit);
    case 'b' * 16 + 1:
    case 'u' * 16 + 1:
      return visit_as<uint8_t>(array, visit);
    case 'u' * 16 + 2:
      return visit_as<uint16_t>(array, visit);
    case 'u' * 16 + 4:
      return visit_as<uint32_t>(array, visit);
    case 'u' * 16 + 8:
      return visit_as<uint64_t>(array, visit);
    default:
      fail(ErrorKind::kData, array.place,
           {"array of text", "text", "an array of numbers", kConvert});
  }
}

std::string position_text(const NpyArray& array, size_t index) {
  if (array.shape.size() < 2) return "element " + std::to_string(index);
  const auto cols = static_cast<size_t>(array.shape[1]);
  return "row " + std::to_string(array.first_row + static_cast<int64_t>(index / cols)) +
         ", column " + std::to_string(index % cols);
}

}  // namespace

int64_t NpyArray::size() const { return static_cast<int64_t>(bytes.size()) / width; }

std::string NpyArray::shape_text() const {
  std::string text;
  for (const int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

namespace {

// What a header says.
struct Layout {
  NpyArray array;  // without its bytes
  bool swapped = false, fortran = false;
};

Layout layout_of(const Header& header, const Place& place) {
  Layout layout;
  NpyArray& array = layout.array;
  array.place = place;
  layout.swapped = parse_type(value_of(header.dict, "descr", place), array);
  array.shape = parse_shape(value_of(header.dict, "shape", place), place);
  if (array.shape.size() > 2) {
    fail(ErrorKind::kData, place,
         {"too many dimensions", array.shape_text(), "one or two dimensions",
          "make one row of each sample with X.reshape(len(X), -1)"});
  }
  layout.fortran = value_of(header.dict, "fortran_order", place).starts_with("True");
  return layout;
}

void require_bytes(const NpyArray& array, int64_t found) {
  // Compared in double, because the product of a damaged shape may not fit into 64 bits.
  double wanted = array.width;
  for (const int64_t n : array.shape) wanted *= static_cast<double>(n);
  if (wanted == static_cast<double>(found)) return;
  damaged(array.place, counted(found, "byte") + " of numbers",
          "as many as shape " + array.shape_text() + " needs");
}

void swap_bytes(NpyArray& array) {
  const auto width = static_cast<size_t>(array.kind == 'U' ? kBytesOfCharacter : array.width);
  for (size_t i = 0; i < array.bytes.size(); i += width) {
    std::reverse(array.bytes.begin() + i, array.bytes.begin() + i + width);
  }
}

void require_matrix(const NpyArray& array, bool is_empty) {
  if (array.shape.size() != 2) {
    fail(ErrorKind::kData, array.place,
         {"not a matrix", "shape " + array.shape_text(), "two dimensions, rows and columns",
          "make a matrix of it with X.reshape(len(X), -1)"});
  }
  // No byte stands behind the other number of an array that is empty.
  if (is_empty) {
    fail(ErrorKind::kData, array.place,
         {"an array without numbers", "shape " + array.shape_text(),
          "at least one row and one column", "save the rows to learn from"});
  }
}

}  // namespace

NpyArray parse_npy(std::string bytes, const Place& place) {
  const Header header = split_header(bytes, place);
  Layout layout = layout_of(header, place);
  NpyArray& array = layout.array;
  require_bytes(array, static_cast<int64_t>(header.bytes.size()));
  bytes.erase(0, bytes.size() - header.bytes.size());
  array.bytes = std::move(bytes);
  if (layout.swapped) swap_bytes(array);
  if (layout.fortran && array.shape.size() == 2) reorder(array);
  return std::move(array);
}

NpyArray read_npy(const std::filesystem::path& path) {
  std::string bytes = read_bytes(path);
  if (bytes.empty()) {
    fail(ErrorKind::kData, {path},
         {"empty file", "0 bytes", "an array written by numpy.save", "write it again"});
  }
  return parse_npy(std::move(bytes), {path});
}

namespace {

void write_floats(float* out, const NpyArray& array) {
  for_each_number(array, [&](size_t i, auto number) {
    out[i] = static_cast<float>(number);
    if (!std::isfinite(out[i])) {
      fail(ErrorKind::kData, array.place,
           {position_text(array, i) + " is not a finite number",
            std::to_string(static_cast<double>(number)), "numbers that fit into float32",
            "replace or remove the value (numpy.isfinite finds them all)"});
    }
  });
}

bool all_finite(const float* first, const float* last) {
  return std::all_of(first, last, [](float x) { return std::isfinite(x); });
}

// Floats that lie in the file as they are, by several threads; false where one is not finite.
bool copy_floats(float* out, const NpyArray& array, int threads) {
  std::atomic<bool> finite = true;
  for_row_ranges(array.size(), array.size(), threads, [&](int64_t first, int64_t last) {
    std::memcpy(out + first, array.bytes.data() + first * sizeof(float),
                (last - first) * sizeof(float));
    if (!all_finite(out + first, out + last)) finite = false;
  });
  return finite;
}

constexpr int64_t kHead = 1 << 17;  // bytes; a header of version 1 is shorter

// Nothing where the file is not one of finite floats, row by row.
std::optional<Matrix> read_floats(const std::filesystem::path& path, int threads) {
  constexpr int64_t kAtOnce = 1 << 20;  // numbers
  const FileParts file(path);
  if (file.size() == 0) return {};
  const std::string begin = file.bytes(0, std::min(kHead, file.size()));
  const Header header = split_header(begin, {path});
  const auto [array, swapped, fortran] = layout_of(header, {path});
  const auto start = static_cast<int64_t>(header.bytes.data() - begin.data());
  if (array.kind != 'f' || array.width != sizeof(float) || swapped || fortran ||
      array.shape.size() != 2) {
    return {};
  }
  require_bytes(array, file.size() - start);
  require_matrix(array, file.size() == start);
  check_cells(array.shape[0], array.shape[1], array.place);
  const int64_t size = array.shape[0] * array.shape[1];
  const std::shared_ptr<float[]> numbers = std::make_shared_for_overwrite<float[]>(size);
  std::atomic<bool> finite = true;
  for_fixed_pieces(size, kAtOnce, threads, [&](int64_t, int64_t first, int64_t last) {
    float* const to = numbers.get() + first;
    file.read(to, start + first * int64_t{sizeof(float)}, (last - first) * int64_t{sizeof(float)});
    if (!all_finite(to, numbers.get() + last)) finite = false;
  });
  if (!finite) return {};
  return Matrix::share({numbers, numbers.get()}, array.shape[0], array.shape[1]);
}

}  // namespace

NpyRows::NpyRows(const std::filesystem::path& path) : file_(path) {
  head_.place = {path};
  const int64_t size = file_.size();
  const std::string begin = file_.bytes(0, std::min(kHead, size));
  const Header header = split_header(begin, head_.place);
  const Layout layout = layout_of(header, head_.place);
  head_ = layout.array;
  swapped_ = layout.swapped;
  start_ = static_cast<int64_t>(header.bytes.data() - begin.data());
  require_bytes(head_, size - start_);
  require_matrix(head_, size == start_);
  if (layout.fortran && rows() > 1 && cols() > 1) {
    fail(ErrorKind::kData, head_.place,
         {"columns lie side by side, not rows", "fortran_order", "an array that is row-major",
          "write it again as numpy.ascontiguousarray(X)"});
  }
}

Matrix read_npy_matrix(const std::filesystem::path& path, int threads,
                       std::vector<Rounding>* rounding) {
  if (threads > 1) {
    if (std::optional<Matrix> found = read_floats(path, threads)) return *std::move(found);
  }
  const NpyArray array = read_npy(path);
  Matrix matrix = to_matrix(array, threads);
  if (rounding != nullptr) *rounding = rounding_of(array);
  return matrix;
}

std::vector<Rounding> rounding_of(const NpyArray& array) {
  if (array.width < (array.kind == 'f' ? 8 : 4)) return {};
  const auto columns = static_cast<size_t>(array.shape.back());
  std::vector<Rounding> rounding(columns);
  for_each_number(array, [&](size_t i, auto number) {
    rounding[i % columns].add(static_cast<double>(number));
  });
  return rounding;
}

Matrix NpyRows::read(int64_t begin, int64_t end) const {
  constexpr int64_t kRowsAtOnce = 4096;
  const int64_t of_row = cols() * head_.width;
  Matrix rows(end - begin, cols());
  for (int64_t first = begin; first < end; first += kRowsAtOnce) {
    NpyArray part = head_;
    part.shape[0] = std::min(kRowsAtOnce, end - first);
    part.first_row = first;
    part.bytes = file_.bytes(start_ + first * of_row, part.shape[0] * of_row);
    if (swapped_) swap_bytes(part);
    write_floats(rows[first - begin], part);
  }
  return rows;
}

std::vector<float> to_floats(const NpyArray& array) {
  std::vector<float> out(static_cast<size_t>(array.size()));
  write_floats(out.data(), array);
  return out;
}

Matrix to_matrix(const NpyArray& array, int threads) {
  require_matrix(array, array.bytes.empty());
  check_cells(array.shape[0], array.shape[1], array.place);
  Matrix out(array.shape[0], array.shape[1]);
  const bool as_they_are = threads > 1 && array.kind == 'f' && array.width == sizeof(float);
  if (!as_they_are || !copy_floats(out.data(), array, threads)) write_floats(out.data(), array);
  return out;
}

namespace {

std::vector<int64_t> to_integers(const NpyArray& array, bool nan_is_no_label) {
  std::vector<int64_t> out(static_cast<size_t>(array.size()));
  for_each_number(array, [&](size_t i, auto number) {
    const auto value = static_cast<double>(number);
    if (std::isnan(value) && nan_is_no_label) {
      out[i] = kNoLabel;
      return;
    }
    if (!(std::abs(value) < 0x1p62) || value != std::floor(value)) {
      fail(ErrorKind::kData, array.place,
           {position_text(array, i) +
                (value == std::floor(value) ? " is too large" : " is not a whole number"),
            std::to_string(number), "integers below 2^62",
            "convert the array with array.astype(numpy.int64), or number the classes anew with "
            "numpy.unique(y, return_inverse=True)"});
    }
    out[i] = static_cast<int64_t>(number);
  });
  return out;
}

}  // namespace

std::vector<int64_t> to_integers(const NpyArray& array) { return to_integers(array, false); }
std::vector<int64_t> to_labels(const NpyArray& array) { return to_integers(array, true); }

std::vector<std::string> to_texts(const NpyArray& array) {
  if (!array.is_text()) {
    fail(ErrorKind::kData, array.place,
         {"array of numbers", array.shape_text(), "an array of text",
          "convert it with array.astype(str)"});
  }
  std::vector<std::string> texts;
  const auto width = static_cast<size_t>(array.width);
  for (size_t at = 0; at < array.bytes.size(); at += width) {
    std::string text;
    if (array.kind == 'S') {
      text = array.bytes.substr(at, width);
      if (!is_utf8(text)) text = from_windows_1252(text);
    }
    for (size_t c = 0; c < width && array.kind == 'U'; c += kBytesOfCharacter) {
      uint32_t code = 0;
      std::memcpy(&code, &array.bytes[at + c], kBytesOfCharacter);
      append_utf8(text, code);
    }
    text.erase(text.find_last_not_of('\0') + 1);  // which fill up short ones
    texts.emplace_back(trimmed(text));
  }
  return texts;
}

}  // namespace glgnn
