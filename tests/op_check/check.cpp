#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "core/cuda/device.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

constexpr double kTiny = 1e-9;  // added to every limit: results that are 0 but for rounding

template <class... Values>
std::string format(const char* text, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, text, values...);
  return buffer;
}

// Forward and backward once, gradients starting at `start` times numbers that are not 0. Where a
// result is not finite (lse of no pair), no gradient comes in.
template <class T, class Forward, class Backward>
Run<T> execute(const Case& c, double start, Forward&& forward, Backward&& backward) {
  Run<T> run = make_run<T>(c);
  for (auto& d : run.d_in) {
    for (T& x : d) x *= static_cast<T>(start);
  }
  forward(run);
  for (size_t o = 0; o < run.out.size(); ++o) {
    for (size_t e = 0; e < run.out[o].size(); ++e) {
      if (!std::isfinite(run.out[o][e])) run.d_out[o][e] = 0;
    }
  }
  if (c.backward) backward(run);
  return run;
}

Run<double> execute_double(const Case& c, double start) {
  return execute<double>(c, start, c.forward.in_double, c.backward.in_double);
}

Run<float> execute_float(const Case& c, double start) {
  return execute<float>(c, start, c.forward.in_float, c.backward.in_float);
}

Run<float> execute_backend(const Case& c, const Backend& b, double start, int threads) {
  return execute<float>(
      c, start, [&](Run<float>& run) { b.forward(run, threads); },
      [&](Run<float>& run) { b.backward(run, threads); });
}

template <class T>
double largest(const std::vector<T>& values) {
  double out = 0;
  for (const T x : values) {
    if (std::isfinite(x)) out = std::max(out, std::abs(static_cast<double>(x)));
  }
  return out;
}

// The largest difference; infinite where a number is missing or not finite without the other.
template <class T>
double difference(const std::vector<T>& values, const std::vector<double>& truth) {
  if (values.size() != truth.size()) return std::numeric_limits<double>::infinity();
  double out = 0;
  for (size_t e = 0; e < truth.size(); ++e) {
    const double value = values[e];
    if (value == truth[e]) continue;
    const double error = std::abs(value - truth[e]);
    out = std::max(out, std::isfinite(error) ? error : std::numeric_limits<double>::infinity());
  }
  return out;
}

template <class T>
bool same_bits(const std::vector<std::vector<T>>& a, const std::vector<std::vector<T>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
  });
}

template <class T>
bool same_bits(const Run<T>& a, const Run<T>& b) {
  return same_bits(a.out, b.out) && same_bits(a.d_in, b.d_in) && same_bits(a.exact, b.exact);
}

// Compares runs with the truth and keeps the largest errors seen, relative to the largest number.
struct Comparison {
  const Case& c;
  std::vector<std::string>& faults;
  double forward = 0, backward = 0;

  template <class T>
  double error_of(const std::vector<T>& got, const std::vector<double>& truth, double& worst) {
    const double error = difference(got, truth), scale = largest(truth);
    if (error > 0) worst = std::max(worst, error / std::max(scale, kTiny));
    return error;
  }

  void demand(double error, double limit, const std::string& who, const std::string& what) {
    if (error <= limit) return;
    faults.push_back(
        format("%s, %s: error %.3g over %.3g", who.c_str(), what.c_str(), error, limit));
  }

  template <class T>
  void demand_exact(const Run<T>& got, const Run<double>& truth, const std::string& who) {
    if (got.exact == truth.exact) return;
    faults.push_back(who + ": whole-number results differ");
  }

  // Within `limit` times the largest number.
  template <class T>
  void absolute(const Run<T>& got, const Run<double>& truth, double limit, const std::string& who,
                bool with_backward) {
    demand_exact(got, truth, who);
    for (size_t o = 0; o < c.out.size(); ++o) {
      const double error = error_of(got.out[o], truth.out[o], forward);
      demand(error, limit * largest(truth.out[o]) + kTiny, who, c.out[o].name);
    }
    for (size_t k = 0; with_backward && k < c.in.size(); ++k) {
      if (!c.in[k].gradient) continue;
      const double error = error_of(got.d_in[k], truth.d_in[k], backward);
      demand(error, limit * largest(truth.d_in[k]) + kTiny, who, "d_" + c.in[k].name);
    }
  }

  // Within twice the error of the naive run.
  void twice_naive(const Run<float>& got, const Run<float>& naive, const Run<double>& truth,
                   const std::string& who) {
    const auto limit = [](const std::vector<float>& plain, const std::vector<double>& exact) {
      return 2 * difference(plain, exact) + kRounding * largest(exact) + kTiny;
    };
    demand_exact(got, truth, who);
    for (size_t o = 0; o < c.out.size(); ++o) {
      const double error = error_of(got.out[o], truth.out[o], forward);
      demand(error, limit(naive.out[o], truth.out[o]), who, c.out[o].name);
    }
    for (size_t k = 0; c.backward && k < c.in.size(); ++k) {
      if (!c.in[k].gradient) continue;
      const double error = error_of(got.d_in[k], truth.d_in[k], backward);
      demand(error, limit(naive.d_in[k], truth.d_in[k]), who, "d_" + c.in[k].name);
    }
  }
};

// What d_out makes of the derivative of all outputs along `direction` of input k: differences of
// fourth order, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h, taken before the sum.
double slope(const Case& c, const Run<double>& truth, size_t k,
             const std::vector<double>& direction) {
  double sum = 0;
  for (const auto& [step, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    Run<double> probe = truth;
    for (size_t e = 0; e < direction.size(); ++e) probe.in[k][e] += step * kStep * direction[e];
    c.forward.in_double(probe);
    for (size_t o = 0; o < c.out.size(); ++o) {
      for (size_t e = 0; e < probe.out[o].size(); ++e) {
        if (truth.d_out[o][e] == 0) continue;
        sum += truth.d_out[o][e] * weight * (probe.out[o][e] - truth.out[o][e]);
      }
    }
  }
  return sum / (12 * kStep);
}

// The worst relative error of d_in[k], its start taken away: every number of a small input; some
// numbers and some directions through all of them for a large one.
double gradient_error(const Case& c, const Run<double>& truth, size_t k,
                      const std::vector<double>& analytic) {
  constexpr int64_t kAll = 400, kSome = 24, kDirections = 3;
  const int64_t n = static_cast<int64_t>(analytic.size());
  const double floor = 1e-3 * std::max(1.0, largest(analytic));
  double worst = 0;
  const auto compare = [&](double expected, const std::vector<double>& direction) {
    const double found = slope(c, truth, k, direction);
    const double scale = std::max({std::abs(expected), std::abs(found), floor});
    const double error = std::abs(expected - found) / scale;
    worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::infinity();
  };
  const int64_t stride = n <= kAll ? 1 : n / kSome;
  for (int64_t e = 0; e < n; e += stride) {
    std::vector<double> direction(n, 0.0);
    direction[e] = 1;
    compare(analytic[e], direction);
  }
  for (int64_t d = 0; n > kAll && d < kDirections; ++d) {
    std::vector<double> direction = away_from_zero(900 + d, n);
    double expected = 0;
    for (int64_t e = 0; e < n; ++e) expected += analytic[e] * direction[e];
    compare(expected, direction);
  }
  return worst;
}

// The gradient check of one case; returns the worst error.
double check_gradient(const Case& c, const Run<double>& truth, bool broken,
                      std::vector<std::string>& faults) {
  const Run<double> start = make_run<double>(c);
  double worst = 0;
  Run<double> expected;
  if (c.oracle_backward) {
    expected = execute<double>(c, 0, c.forward.in_double, c.oracle_backward);
  }
  for (size_t k = 0; k < c.in.size(); ++k) {
    if (!c.in[k].gradient) continue;
    std::vector<double> analytic = truth.d_in[k];
    for (size_t e = 0; e < analytic.size(); ++e) {
      analytic[e] = (analytic[e] - start.d_in[k][e]) * (broken ? 1.01 : 1.0);
    }
    const double error = c.oracle_backward ? difference(analytic, expected.d_in[k])
                                           : gradient_error(c, truth, k, analytic);
    worst = std::max(worst, error);
    if (error <= kGradientLimit) continue;
    faults.push_back(format("gradient, d_%s: error %.3g over %.3g", c.in[k].name.c_str(), error,
                            kGradientLimit));
  }
  return worst;
}

void change_results(Run<double>& run) {
  for (auto& values : run.out) {
    for (double& x : values) x *= 1.01;
  }
  for (auto& values : run.exact) {
    for (int64_t& x : values) ++x;
  }
}

std::string check_repeat(const Case& c, std::vector<std::string>& faults) {
  const auto demand_same = [&](const auto& a, const auto& b, const std::string& who) {
    if (!same_bits(a, b)) faults.push_back(who + ": other bits than before");
  };
  if (!c.heavy) {
    const Run<double> first_double = execute_double(c, 1);
    const Run<float> first_float = execute_float(c, 1);
    for (int repeat = 1; repeat < kRepeats; ++repeat) {
      demand_same(first_double, execute_double(c, 1), "ref<double> again");
      demand_same(first_float, execute_float(c, 1), "ref<float> again");
    }
  }
  for (const Backend& backend : c.backends) {
    const Run<float> first = execute_backend(c, backend, 1, 1);
    for (int repeat = 1; repeat < kRepeats; ++repeat) {
      const int threads = 1 + repeat % kThreads;
      demand_same(first, execute_backend(c, backend, 1, threads),
                  format("%s with %d threads", backend.name.c_str(), threads));
    }
  }
  return format(c.backends.empty() ? "x%d" : "x%d, threads 1-%d", kRepeats, kThreads);
}

// Two starts and ten repeats may find the same fault more than once.
void drop_repeats(std::vector<std::string>& faults) {
  std::vector<std::string> once;
  for (const std::string& fault : faults) {
    if (std::find(once.begin(), once.end(), fault) == once.end()) once.push_back(fault);
  }
  faults = once;
}

// A case that is itself wrong must not pass for an op that is right.
bool is_whole(const Case& c, std::vector<std::string>& faults) {
  const size_t before = faults.size();
  const bool has_gradient = static_cast<bool>(c.backward);
  if (has_gradient == !c.no_gradient.empty()) {
    faults.push_back("the case needs either a backward or a reason for having none");
  }
  for (const Backend& backend : c.backends) {
    if (has_gradient == (backend.backward == nullptr)) {
      faults.push_back(backend.name + ": the case needs a backward where ref has one, only there");
    }
  }
  return faults.size() == before;
}

}  // namespace

Case with_cuda(Case c, ThreadedStep forward, ThreadedStep backward) {
  static const bool has_device = cuda::find_device().has_value();
  if (has_device) c.backends.push_back({"cuda", std::move(forward), std::move(backward)});
  return c;
}

template <class T>
Run<T> make_run(const Case& c) {
  Run<T> run;
  for (size_t k = 0; k < c.in.size(); ++k) {
    run.in.emplace_back(c.in[k].values.begin(), c.in[k].values.end());
    const auto start = away_from_zero(700 + k, static_cast<int64_t>(c.in[k].values.size()));
    run.d_in.emplace_back(start.begin(), start.end());
  }
  for (size_t o = 0; o < c.out.size(); ++o) {
    run.out.emplace_back(c.out[o].size, std::numeric_limits<T>::quiet_NaN());
    const auto d_out = away_from_zero(800 + o, c.out[o].size);
    run.d_out.emplace_back(d_out.begin(), d_out.end());
    if (!c.out[o].gradient) run.d_out[o].assign(c.out[o].size, T(0));
  }
  return run;
}
template Run<float> make_run(const Case&);
template Run<double> make_run(const Case&);

Report check_case(const Case& c, bool broken) {
  Report report;
  if (!is_whole(c, report.faults)) return report;
  Run<double> truth = execute_double(c, 1);
  if (broken && !c.backward) change_results(truth);

  if (c.oracle && !c.heavy) {
    Comparison with_oracle{c, report.faults};
    Run<double> expected = make_run<double>(c);
    c.oracle(expected);
    with_oracle.absolute(truth, expected, kOracleLimit, "ref<double> against the oracle", false);
    report.line += format("oracle %.0e  ", with_oracle.forward);
  }

  // Gradients from 0 show small errors, gradients from other numbers show a missing +=.
  Comparison naive_errors{c, report.faults};
  std::vector<Comparison> backend_errors(c.backends.size(), {c, report.faults});
  for (const double start : {1.0, 0.0}) {
    if (start == 0.0 && !c.backward) break;
    const Run<double> exact = start == 0.0 ? execute_double(c, start) : truth;
    const Run<float> naive = execute_float(c, start);
    naive_errors.absolute(naive, exact, c.naive_limit, "ref<float>", bool(c.backward));
    for (size_t b = 0; b < c.backends.size(); ++b) {
      const Run<float> got = execute_backend(c, c.backends[b], start, kThreads);
      backend_errors[b].twice_naive(got, naive, exact, c.backends[b].name);
    }
  }
  report.line += format("forward ref %.0e", naive_errors.forward);
  for (size_t b = 0; b < c.backends.size(); ++b) {
    report.line += format(" %s %.0e", c.backends[b].name.c_str(), backend_errors[b].forward);
  }
  if (c.backward) {
    if (!c.heavy) {
      report.line += format("  gradient %.0e", check_gradient(c, truth, broken, report.faults));
    }
    report.line += format("  backward ref %.0e", naive_errors.backward);
    for (size_t b = 0; b < c.backends.size(); ++b) {
      report.line += format(" %s %.0e", c.backends[b].name.c_str(), backend_errors[b].backward);
    }
  } else {
    report.line += "  no gradient";
  }
  if (!broken) report.line += "  repeat " + check_repeat(c, report.faults);
  drop_repeats(report.faults);
  return report;
}

}  // namespace glgnn::op_check
