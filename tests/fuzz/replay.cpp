// The targets without libFuzzer: fuzz_replay [--mutations N] [TARGET ...] runs each on its seeds
// and on the same few mutations every time; --list names the targets, --write FOLDER writes the
// seeds as libFuzzer's corpus, --file FILE TARGET runs one input, such as libFuzzer leaves.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzz/targets.h"

namespace glgnn::fuzz {
namespace {

// What files say numbers and ends with.
constexpr std::string_view kPieces[] = {"\n",         "\r",
                                        "\t",         ",",
                                        "\"",         ":",
                                        "#",          "-1",
                                        "0",          "1e999",
                                        "nan",        "9223372036854775807",
                                        "4294967296", "\xFF\xFF\xFF\xFF",
                                        "\x80",       "<",
                                        ">",          "(",
                                        "%"};

class Mutations {
 public:
  explicit Mutations(uint64_t seed) : state_(seed * 2654435769u + 1) {}

  std::string of(std::string bytes) {
    for (uint64_t n = 1 + next(4); n > 0; --n) change(bytes);
    return bytes;
  }

 private:
  uint64_t next(uint64_t below) {  // xorshift
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % below;
  }

  void change(std::string& bytes) {
    const size_t at = next(bytes.size() + 1), left = bytes.size() - at;
    switch (next(7)) {
      case 0:
        if (left > 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << next(8)));
        break;
      case 1:
        if (left > 0) bytes[at] = static_cast<char>(next(256));
        break;
      case 2:
        bytes.insert(at, kPieces[next(std::size(kPieces))]);
        break;
      case 3:
        bytes.erase(at, next(left + 1));
        break;
      case 4:
        bytes.insert(at, bytes.substr(next(bytes.size() + 1), next(64)));
        break;
      case 5:
        bytes.resize(at);
        break;
      case 6:  // a number of our own files
        if (left >= 8) {
          constexpr int64_t kNumbers[] = {-1, 0, 1, 7, INT32_MAX, INT64_MAX, INT64_MIN, 1 << 20};
          std::memcpy(bytes.data() + at, &kNumbers[next(std::size(kNumbers))], 8);
        }
        break;
    }
  }

  uint64_t state_;
};

int64_t replay(const Target& target, int64_t mutations) {
  const std::vector<std::string> seeds = target.seeds();
  for (const std::string& seed : seeds) target.run(seed);  // good files are read without an error
  Mutations mutate(1);
  for (int64_t m = 0; m < mutations; ++m) {
    const std::string bytes = mutate.of(seeds[static_cast<size_t>(m) % seeds.size()]);
    write_input("last", bytes);  // for whoever looks into a crash
    run_target(target, bytes);
  }
  return static_cast<int64_t>(seeds.size()) + mutations;
}

void write_seeds(const Target& target, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / target.name);
  int number = 0;
  for (const std::string& seed : target.seeds()) {
    const auto path = folder / target.name / ("seed" + std::to_string(number++));
    std::ofstream(path, std::ios::binary) << seed;
  }
}

// Small files must not need much memory.
void limit_memory() {
#ifndef GLGNN_SANITIZED
  constexpr rlim_t kRoom = rlim_t{1} << 30;
  std::ifstream in("/proc/self/statm");
  rlim_t pages = 0;
  in >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom;
  const rlimit limits{limit, limit};
  setrlimit(RLIMIT_AS, &limits);
#endif
}

int run(const std::vector<std::string>& arguments) {
  int64_t mutations = 200;
  std::string folder, file;
  bool list = false;
  std::vector<const Target*> targets;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a] == "--mutations") {
      mutations = std::stol(arguments.at(++a));
    } else if (arguments[a] == "--list") {
      list = true;
    } else if (arguments[a] == "--write") {
      folder = arguments.at(++a);
    } else if (arguments[a] == "--file") {
      file = arguments.at(++a);
    } else if (const Target* target = find_target(arguments[a])) {
      targets.push_back(target);
    } else {
      std::fprintf(stderr, "fuzz_replay: no target %s\n", arguments[a].c_str());
      return 2;
    }
  }
  if (targets.empty()) {
    for (const auto all : {reader_targets(), model_targets()}) {
      for (const Target& target : all) targets.push_back(&target);
    }
  }
  limit_memory();
  for (const Target* target : targets) {
    if (list) {
      std::puts(target->name);
    } else if (!file.empty()) {
      run_target(*target, bytes_of(file));
    } else if (!folder.empty()) {
      write_seeds(*target, folder);
    } else {
      std::printf("%-16s", target->name);
      std::fflush(stdout);
      std::printf("%6ld inputs\n", static_cast<long>(replay(*target, mutations)));
    }
  }
  return 0;
}

}  // namespace
}  // namespace glgnn::fuzz

int main(int argc, char** argv) { return glgnn::fuzz::run({argv + 1, argv + argc}); }
