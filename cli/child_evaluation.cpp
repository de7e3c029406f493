#include "child_evaluation.h"

#include <glgnn/error.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "shell_words.h"

namespace glgnn::cli {
namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Student's t at 97.5 %, by the number of runs less one.
double t_value(size_t freedom) {
  constexpr std::array kValues{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  return freedom <= kValues.size() ? kValues[freedom - 1]
                                   : 1.96 + 2.5 / static_cast<double>(freedom);
}

}  // namespace

ChildAnswer ask_evaluate(std::vector<std::string> arguments) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  arguments.insert(arguments.begin(), {program, "evaluate"});
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  std::FILE* pipe = popen((shell_words(arguments) + " 2>&1").c_str(), "r");
  if (!pipe) throw Error(ErrorKind::kIo, "found no way to start `glgnn evaluate` as a child");
  std::string said;
  std::array<char, 4096> piece;
  while (const size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
    said.append(piece.data(), size);
  }
  const int ended = pclose(pipe);
  ChildAnswer answer;
  answer.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  if (answer.status == 0)
    answer.result = last_line(said);
  else
    answer.fault = last_line(said);
  return answer;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double interval_of(const std::vector<double>& values, double test_to_train) {
  if (values.size() < 2) return 0;
  const double overlap = std::min(1.0, test_to_train);
  return t_value(values.size() - 1) * deviation_of(values) *
         std::sqrt(1 / static_cast<double>(values.size()) + overlap);
}

}  // namespace glgnn::cli
