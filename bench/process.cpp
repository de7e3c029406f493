#include "bench/process.h"

#include <glgnn/error.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace glgnn::bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, int error) {
  throw Error(ErrorKind::kIo, what + ": " + std::strerror(error));
}

struct Pipe {
  Pipe() {
    if (::pipe(ends.data()) != 0) refuse("a pipe", errno);
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{-1, -1};  // to read, to write
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  const auto name = [](const std::string& text) { return text.substr(0, text.find('=')); };
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    bool kept = true;
    for (const auto& change : changes) kept = kept && name(*entry) != name(change);
    if (kept) result.emplace_back(*entry);
  }
  for (const auto& change : changes) {
    if (change.find('=') != std::string::npos) result.push_back(change);
  }
  return result;
}

// Until both are closed by the other side.
void read_both(Pipe& out, Pipe& err, Ended& ended) {
  const auto read_some = [](Pipe& pipe, std::string& text) {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(pipe.ends[0], buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) pipe.close_end(0);
  };
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    std::array<pollfd, 2> waiting{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (waiting[0].revents != 0) read_some(out, ended.out);
    if (waiting[1].revents != 0) read_some(err, ended.err);
  }
}

}  // namespace

std::string Ended::last_error_line() const {
  const size_t end = err.find_last_not_of(" \n");
  if (end == std::string::npos) return "it said nothing";
  const size_t begin = err.rfind('\n', end);
  return err.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

Ended run_process(const std::vector<std::string>& command,
                  const std::vector<std::string>& environment) {
  std::vector<std::string> words = command, variables = changed_environment(environment);
  Pipe out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  for (const int end : {out.ends[0], out.ends[1], err.ends[0], err.ends[1]}) {
    posix_spawn_file_actions_addclose(&actions, end);
  }
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) refuse(command[0], error);
  out.close_end(1);
  err.close_end(1);
  Ended ended;
  read_both(out, err, ended);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ended;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "glgnn-bench-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) refuse(pattern, errno);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace glgnn::bench
