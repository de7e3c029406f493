#include "bench/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

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

std::optional<double> peak_mb() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && in >> kilobytes) return kilobytes / 1024;
  }
  return std::nullopt;
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

}  // namespace glgnn::bench
