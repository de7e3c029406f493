#include "child_evaluation.h"

#include <glgnn/error.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "shell_words.h"

namespace glgnn::cli {
namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
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

}  // namespace glgnn::cli
