#include <glgnn/error.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "bench/bench.h"

extern char** environ;

namespace glgnn::bench {
namespace {

// Seconds that all cores together have worked.
std::optional<double> worked_seconds() {
  std::ifstream in("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft_irq = 0, stolen = 0;
  in >> cpu >> user >> nice >> system >> idle >> wait >> irq >> soft_irq >> stolen;
  if (!in) return std::nullopt;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return (user + nice + system + irq + soft_irq + stolen) / ticks;
}

}  // namespace

double shortest_seconds(double budget, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = INFINITY, total = 0;
  for (int repeat = 0; repeat < 2 || total < budget; ++repeat) {
    const auto before = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - before).count();
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

std::optional<double> others_busy_cores(double seconds) {
  const auto before = worked_seconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto after = worked_seconds();
  if (!before || !after) return std::nullopt;
  return (*after - *before) / seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool reset_peak() {
  std::ofstream out("/proc/self/clear_refs");
  return static_cast<bool>((out << "5").flush());  // proc(5): resets the peak, nothing else
}

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  double products = 0, squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double from_mean = std::log(x[i]) - mean_x;
    products += from_mean * (std::log(y[i]) - mean_y);
    squares += from_mean * from_mean;
  }
  return products / squares;
}

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
