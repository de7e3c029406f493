// Clocks and memory.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace glgnn::bench {

// The shortest of as many runs as fit into `budget` seconds, two at least.
double shortest_seconds(double budget, const std::function<void()>& work);

// Cores' worth of work that the rest of the machine does while this process sleeps so long; nothing
// where /proc does not say. Other work stalls every parallel loop: times are then too long.
std::optional<double> others_busy_cores(double seconds);

double median(std::vector<double> values);

// The largest memory this process has held since it began, or since reset_peak; unlike
// getrusage's figure it is not inherited from the process that started this one.
std::optional<double> peak_mb();
// False where the kernel cannot.
bool reset_peak();

// The slope of log y over log x, by least squares.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace glgnn::bench
