// Temporary files and exact error texts for the tests of the readers.
#pragma once

#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "data/data.h"

namespace glgnn {

// A folder of its own for each test, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "glgnn-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(const std::string& name = "") const { return (path_ / name).string(); }

  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }

  // The text of the Error that `action` throws, this folder's name taken out of it.
  std::string error_of(ErrorKind kind, const std::function<void()>& action) const {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      std::string text = error.what();
      const std::string prefix = path_.string() + "/";
      for (size_t at = 0; (at = text.find(prefix)) != std::string::npos;) {
        text.erase(at, prefix.size());
      }
      return text;
    }
    return "no error";
  }

 private:
  std::filesystem::path path_;
};

// For long texts of which only the beginning is ours.
inline testing::AssertionResult begins(const std::string& text, const std::string& start) {
  if (text.starts_with(start)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "\"" << text << "\" does not begin with \"" << start << "\"";
}

// A file that make_array_files.py writes.
inline std::string fixture(const std::string& name) {
  return std::string(GLGNN_ARRAY_FILES) + "/" + name;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

using Strings = std::vector<std::string>;

// Tables, and what becomes of their columns.
class DataColumns : public testing::Test {
 protected:
  Dataset load(const std::string& text, const LoadOptions& options = {},
               const std::string& file = "t.csv") {
    return load_dataset(folder_.write(file, text), options);
  }
  std::string error(ErrorKind kind, const std::string& text, const LoadOptions& options = {}) {
    return folder_.error_of(kind, [&] { load(text, options); });
  }
  // A column x of these values beside a column of numbers.
  Dataset column(const Strings& values, const LoadOptions& options = {}) {
    std::string text = "n,x\n";
    for (size_t i = 0; i < values.size(); ++i) {
      text += std::to_string(i * i) + ",\"" + values[i] + "\"\n";
    }
    return load(text, options);
  }
  std::vector<float> values(const Dataset& d, int64_t j) {
    std::vector<float> out;
    for (int64_t i = 0; i < d.rows(); ++i) out.push_back(d.features.dense[i][j]);
    return out;
  }

  TempFolder folder_;
};

}  // namespace glgnn
