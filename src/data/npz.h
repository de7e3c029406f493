// NumPy's .npz format: a zip archive of .npy arrays. Arrays are read only when asked for.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
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

}  // namespace glgnn
