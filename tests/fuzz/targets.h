// Every reader as a function of bytes: nothing that a file may hold makes it do worse than throw an
// Error. libfuzzer.cpp drives them with clang's libFuzzer (`make fuzz`), replay.cpp with seeds and
// a few mutations of each (`make test`).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn::fuzz {

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);  // throws nothing but Error
  std::vector<std::string> (*seeds)();  // files that are read without an error
};

std::span<const Target> reader_targets();  // reader_targets.cpp
std::span<const Target> model_targets();   // model_targets.cpp

const Target* find_target(std::string_view name);  // null: there is none

// Runs a target. An Error is a good answer, but not that the memory did not suffice: the files are
// small.
void run_target(const Target& target, std::string_view bytes);

// A file of that name with these bytes, in a folder in memory that goes with the process.
std::string write_input(const std::string& name, std::string_view bytes);
std::string input_path(const std::string& name);
std::string bytes_of(const std::string& path);

}  // namespace glgnn::fuzz
