// op_check [--list] [--bench] [--small] [--break OP] [--self-test] [op ...]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check.h"

namespace glgnn::op_check {
namespace {

// The shortest of as many runs as fit into a third of a second, two at least.
double shortest_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = 1e30, total = 0;
  for (int repeat = 0; repeat < 2 || total < 0.33; ++repeat) {
    const auto before = Clock::now();
    work();
    const auto after = Clock::now();
    best = std::min(best, std::chrono::duration<double>(after - before).count());
    total = std::chrono::duration<double>(after - begin).count();
  }
  return best;
}

void print_rate(double seconds, Work work) {
  std::printf("  %10.3f ms", 1e3 * seconds);
  if (work.flops > 0) {
    std::printf(" %7.2f GFLOP/s", 1e-9 * work.flops / seconds);
  } else {
    std::printf(" %7.2f GB/s   ", 1e-9 * work.bytes / seconds);
  }
}

void bench_backend(const Op& op, const Case& c, const std::string& backend,
                   const std::function<void(Run<float>&)>& forward,
                   const std::function<void(Run<float>&)>& backward) {
  Run<float> run = make_run<float>(c);
  std::printf("%-20s %-26s %-14s", op.name.c_str(), c.name.c_str(), backend.c_str());
  print_rate(shortest_seconds([&] { forward(run); }), c.forward_work);
  if (backward) print_rate(shortest_seconds([&] { backward(run); }), c.backward_work);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

void bench_case(const Op& op, const Case& c) {
  bench_backend(op, c, "ref", c.forward.in_float, c.backward.in_float);
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const Backend& backend : c.backends) {
    for (int threads = 1; threads <= cores; threads = threads == cores ? cores + 1 : cores) {
      const auto with_threads = [threads](const ThreadedStep& step) {
        return step ? [&step, threads](Run<float>& run) { step(run, threads); }
                    : std::function<void(Run<float>&)>();
      };
      bench_backend(op, c, backend.name + " x" + std::to_string(threads),
                    with_threads(backend.forward), with_threads(backend.backward));
    }
  }
}

namespace {

constexpr const char* kUsage =
    "op_check [--list] [--bench] [--small] [--break OP] [--self-test] [op ...]\n"
    "  checks every op, or those named; status 1 if one fails\n"
    "  --list       names the ops and their cases\n"
    "  --bench      times each backend: forward, then backward\n"
    "  --small      leaves the large cases out, for tools that slow every step down\n"
    "  --break OP   changes what OP returns by 1%: the check of OP must then fail\n"
    "  --self-test  does so with every op; status 1 if a change is not found\n";

struct Options {
  bool list = false, bench = false, small = false, self_test = false, help = false;
  std::string broken;
  std::vector<std::string> ops;
};

std::vector<Op> all_ops() {
  std::vector<Op> out;
  for (const auto& some :
       {dense_ops(), graph_learn_ops(), edge_ops(), norm_ops(), pattern_ops(), loss_ops(),
        fused_ops(), best_ops(), query_ops(), paper_ops(), attention_ops()}) {
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

bool is_op(const std::vector<Op>& ops, const std::string& name) {
  return std::any_of(ops.begin(), ops.end(), [&](const Op& op) { return op.name == name; });
}

// False, with a word on stderr, if the arguments cannot be used.
bool parse(Options& options, const std::vector<Op>& ops, int argc, char** argv) {
  for (int a = 1; a < argc; ++a) {
    const std::string_view word = argv[a];
    if (word == "--list") {
      options.list = true;
    } else if (word == "--bench") {
      options.bench = true;
    } else if (word == "--small") {
      options.small = true;
    } else if (word == "--self-test") {
      options.self_test = true;
    } else if (word == "--help") {
      options.help = true;
    } else if (word == "--break" && a + 1 < argc) {
      options.broken = argv[++a];
    } else {
      options.ops.emplace_back(word);
    }
  }
  std::vector<std::string> names = options.ops;
  if (!options.broken.empty()) names.push_back(options.broken);
  for (const std::string& name : names) {
    if (is_op(ops, name)) continue;
    std::fprintf(stderr, "op_check: no op '%s'; op_check --list names them\n", name.c_str());
    return false;
  }
  return true;
}

void print_list(const std::vector<Op>& ops) {
  for (const Op& op : ops) {
    std::printf("%s\n", op.name.c_str());
    for (const Case& c : op.cases()) {
      std::printf("  %s", c.name.c_str());
      if (!c.no_gradient.empty()) std::printf(" (no gradient: %s)", c.no_gradient.c_str());
      for (const Backend& backend : c.backends) std::printf(" [%s]", backend.name.c_str());
      std::printf("\n");
    }
  }
}

int run_checks(const std::vector<Op>& ops, const Options& options) {
  int passed = 0, failed = 0;
  for (const Op& op : ops) {
    for (const Case& c : op.cases()) {
      if (options.small && c.heavy) continue;
      const Report report = check_case(c, op.name == options.broken);
      ++(report.faults.empty() ? passed : failed);
      std::printf("%s %-20s %-26s %s\n", report.faults.empty() ? "ok  " : "FAIL", op.name.c_str(),
                  c.name.c_str(), report.line.c_str());
      for (const std::string& fault : report.faults) std::printf("       %s\n", fault.c_str());
      std::fflush(stdout);
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}

// Every op must have a case that finds a result that is wrong by 1%.
int run_self_test(const std::vector<Op>& ops) {
  int missed = 0;
  for (const Op& op : ops) {
    int found = 0, cases = 0;
    for (const Case& c : op.cases()) {
      ++cases;
      found += !check_case(c, true).faults.empty();
    }
    missed += found == 0;
    std::printf("%s %-20s broken: found by %d of %d cases\n", found > 0 ? "ok  " : "FAIL",
                op.name.c_str(), found, cases);
  }
  std::printf("%d found, %d missed\n", static_cast<int>(ops.size()) - missed, missed);
  return missed > 0;
}

int run(int argc, char** argv) {
  std::vector<Op> ops = all_ops();
  Options options;
  if (!parse(options, ops, argc, argv)) return 2;
  if (options.help) return std::fputs(kUsage, stdout) < 0;
  if (!options.ops.empty()) {
    std::erase_if(ops, [&](const Op& op) {
      return std::find(options.ops.begin(), options.ops.end(), op.name) == options.ops.end();
    });
  }
  if (options.list) {
    print_list(ops);
    return 0;
  }
  if (options.bench) {
    std::printf("%-20s %-26s %-14s  forward                        backward\n", "op", "case",
                "backend");
    for (const Op& op : ops) {
      for (const Case& c : op.bench()) bench_case(op, c);
    }
    return 0;
  }
  return options.self_test ? run_self_test(ops) : run_checks(ops, options);
}

}  // namespace
}  // namespace glgnn::op_check

int main(int argc, char** argv) { return glgnn::op_check::run(argc, argv); }
