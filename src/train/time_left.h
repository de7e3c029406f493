// How long best mode still needs. Its modules differ by orders of magnitude, so each counts by the
// time it is expected to take: as in the fold before; else by a rule on its kind and the size of
// the data, which those that are done correct.
#pragma once

#include <glgnn/trainer.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace glgnn {

// Seconds of one core, roughly, by the line that describes a module.
double expected_seconds(const std::string& module, const Problem& problem);

class TimeLeft {
 public:
  struct Planned {
    std::string module;  // the same line in another fold takes as long
    double rule = 1;     // once some are done, only ratios matter
  };

  explicit TimeLeft(std::vector<Planned> modules) : modules_(std::move(modules)) {}

  // The next module is done at `now`, in seconds from the start. With several threads the order is
  // not quite that of the list; the error is small beside that of the rule.
  void finish(double now);

  double seconds() const;

 private:
  struct Sum {
    double seconds = 0, expected = 0;
    double ratio() const { return expected > 0 ? seconds / expected : 1; }
  };

  double expected(const Planned& planned) const;

  std::vector<Planned> modules_;
  size_t done_ = 0;
  double now_ = 0;
  Sum all_, again_;  // against the rule; against the fold before
  std::map<std::string, Sum> by_kind_;
  std::map<std::string, double> last_;
};

}  // namespace glgnn
