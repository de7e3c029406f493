// NumPy's .npz format: a zip archive of .npy arrays. Arrays are read only when asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/npy.h"

struct zip;  // libzip's archive

namespace glgnn {

class Npz {
 public:
  explicit Npz(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;

  // The array of that name; an error that lists the names if there is none.
  NpyArray read(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<zip> archive_;
};

// Writing NumPy's .npz format: a zip archive of .npy arrays.

// An array that somebody else owns, in this machine's byte order.
struct NpzArray {
  std::string name;
  std::string type;            // NumPy's word for the elements: "<f4", "<i4", "<i8", "|S3"
  std::vector<int64_t> shape;  // empty: a single element
  std::string_view bytes;
};

// The bytes of a list of numbers, as NpzArray takes them.
template <class T>
std::string_view bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

// The start of a .npy file, version 1: its length makes the numbers begin at a multiple of 64.
std::string npy_header(const std::string& type, const std::vector<int64_t>& shape);

// Written beside, synced and renamed; the same arrays give the same bytes.
void write_npz(const std::filesystem::path& path, std::span<const NpzArray> arrays);

}  // namespace glgnn
