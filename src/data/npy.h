// NumPy's .npy format, versions 1 to 3.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/file.h"
#include "data/message.h"
#include "data/values.h"

namespace glgnn {

// An array of up to two dimensions, row-major, in this machine's byte order.
struct NpyArray {
  std::vector<int64_t> shape;
  char kind = 'f';  // f float, i signed, u unsigned, b bool, S bytes, U text
  int width = 4;    // bytes per element
  std::string bytes;
  Place place;            // where it was read, for errors
  int64_t first_row = 0;  // of the file, where it is a part of one

  int64_t size() const;
  bool is_text() const { return kind == 'S' || kind == 'U'; }
  std::string shape_text() const;  // "(178, 13)"
};

NpyArray parse_npy(std::string bytes, const Place& place);
NpyArray read_npy(const std::filesystem::path& path);
// The matrix in a file, read by several threads where it lies there as it is wanted; `rounding`
// gets what rounding_of() gives.
Matrix read_npy_matrix(const std::filesystem::path& path, int threads,
                       std::vector<Rounding>* rounding = nullptr);

// The rows of a matrix in a .npy file, read when they are asked for: no more of the file than they.
class NpyRows {
 public:
  explicit NpyRows(const std::filesystem::path& path);

  int64_t rows() const { return head_.shape[0]; }
  int64_t cols() const { return head_.shape[1]; }
  // Rows begin .. end - 1; a number that is not finite is an error.
  Matrix read(int64_t begin, int64_t end) const;
  uint64_t sample_hash() const { return file_.sample_hash(); }

 private:
  FileParts file_;
  NpyArray head_;  // without its bytes
  bool swapped_ = false;
  int64_t start_ = 0;  // of the numbers, in bytes
};

// All numbers as float32, in order; one that is not finite is an error.
std::vector<float> to_floats(const NpyArray& array);

// As a matrix; the array must have two dimensions.
Matrix to_matrix(const NpyArray& array, int threads = 1);

// How much float32 rounds each column of a matrix; empty where it holds every such number.
std::vector<Rounding> rounding_of(const NpyArray& array);

// All numbers as integers; the array must have one dimension (or two, for pairs) and whole numbers.
std::vector<int64_t> to_integers(const NpyArray& array);

// The same of labels, where NaN is kNoLabel.
inline constexpr int64_t kNoLabel = std::numeric_limits<int64_t>::min();
std::vector<int64_t> to_labels(const NpyArray& array);

// The texts of an array of texts, as UTF-8 and without blanks around them.
std::vector<std::string> to_texts(const NpyArray& array);

}  // namespace glgnn
