#include "train/search.h"

#include <glgnn/error.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>

#include "network/fuse.h"
#include "train/pool.h"
#include "train/pool_trainer.h"
#include "train/thread_shares.h"
#include "train/trial_list.h"

namespace glgnn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Job {
  size_t trial;  // place in the list
  SearchStage stage;
};

class Search {
 public:
  Search(const Problem& problem, const Config& config, const Context& context,
         const SearchOptions& options)
      : problem_(problem),
        config_(with_members(config)),
        context_(context),
        options_(options),
        shared_(problem, context),
        trials_(list_trials(problem, config, options.trials)) {
    take_known(trials_, options.known);
  }

  SearchResult run() {
    std::vector<Job> first, second;
    for (size_t t = 0; t < trials_.size(); ++t) first.push_back({t, first_stage(t)});
    // Two thirds of the work come after the short trials.
    score(first, options_.halving ? options_.seconds / 3 : options_.seconds);
    if (options_.halving && !stopped_) {
      for (const size_t t : promoted()) second.push_back({t, SearchStage::kFull});
      score(second, options_.seconds);
    }
    SearchResult result;
    result.stopped = stopped_;
    result.cut_short = cut_short_;
    for (const Trial& trial : trials_) {
      result.done += trial.short_report.has_value() || trial.full_report.has_value();
    }
    rank(first, second);
    for (const size_t t : ranked_) result.ranking.push_back(*trials_[t].full_report);
    if (!stopped_) join(result);
    return result;
  }

 private:
  // As many as fit() joins where nothing is said.
  static Config with_members(Config config) {
    constexpr int64_t kMembers = 10;
    if (config.members == 0) config.members = kMembers;
    if (!config.averaging) config.members = 1;
    return config;
  }

  SearchStage first_stage(size_t t) const {
    const bool is_short = options_.halving && is_trained(trials_[t].spec);
    return is_short ? SearchStage::kShort : SearchStage::kFull;
  }

  // The better third of the short trials.
  std::vector<size_t> promoted() const {
    std::vector<size_t> list;
    for (size_t t = 0; t < trials_.size(); ++t) {
      if (first_stage(t) == SearchStage::kShort && trials_[t].short_report) list.push_back(t);
    }
    std::sort(list.begin(), list.end(), [&](size_t a, size_t b) {
      return ranks_before(*trials_[a].short_report, *trials_[b].short_report);
    });
    list.resize(better_third(list.size()));
    return list;
  }

  // Runs the jobs that have no score yet; the first of them at any rate, so that there is one.
  void score(const std::vector<Job>& jobs, double seconds) {
    std::vector<Job> open;
    for (const Job& job : jobs) {
      if (!trials_[job.trial].report(job.stage)) open.push_back(job);
    }
    run_jobs(open, seconds, [&](const Job& job, ModuleResult module, double taken) {
      const TrialReport report{.trial = trials_[job.trial].number,
                               .stage = job.stage,
                               .module = describe(trials_[job.trial].spec),
                               .score = module.score,
                               .seconds = taken};
      trials_[job.trial].report(job.stage) = report;
      if (job.stage == SearchStage::kFull) keep(job.trial, std::move(module));
      if (options_.on_trial && !options_.on_trial(report)) stopped_ = true;
    });
  }

  template <class Done>
  void run_jobs(const std::vector<Job>& jobs, double seconds, const Done& done) {
    const ThreadShares shares = share_threads(*problem_.features, context_);
    std::exception_ptr failure;
    const auto run_one = [&](int64_t j) {
      const bool too_late = j > 0 && seconds_since(start_) >= seconds;
      bool skip = false;
#pragma omp critical(glgnn_search)
      {
        cut_short_ = cut_short_ || too_late;
        skip = too_late || stopped_ || failure;
      }
      if (skip) return;
      try {
        const Clock::time_point begin = Clock::now();
        ModuleResult module =
            run_module(spec_at(trials_[jobs[j].trial].spec, jobs[j].stage), shared_, shares.inside);
        const double taken = seconds_since(begin);
#pragma omp critical(glgnn_search)
        {
          // No exception may leave the section.
          try {
            done(jobs[j], std::move(module), taken);
          } catch (...) {
            failure = std::current_exception();
          }
        }
      } catch (...) {
#pragma omp critical(glgnn_search)
        failure = std::current_exception();
      }
    };
    run_side_by_side(static_cast<int64_t>(jobs.size()), shares.modules, run_one);
    if (failure) std::rethrow_exception(failure);
  }

  // Holds the predictions of the best alone.
  void keep(size_t t, ModuleResult module) {
    module.graph.reset();
    module.selection.clear();
    kept_.insert_or_assign(t, std::move(module));
    if (static_cast<int64_t>(kept_.size()) <= config_.members) return;
    kept_.erase(std::max_element(kept_.begin(), kept_.end(), [&](const auto& a, const auto& b) {
      return ranks_before(*trials_[a.first].full_report, *trials_[b.first].full_report);
    }));
  }

  void rank(const std::vector<Job>& first, const std::vector<Job>& second) {
    for (const auto* jobs : {&first, &second}) {
      for (const Job& job : *jobs) {
        const bool counts = job.stage == SearchStage::kFull && trials_[job.trial].full_report;
        if (counts) ranked_.push_back(job.trial);
      }
    }
    std::sort(ranked_.begin(), ranked_.end(), [&](size_t a, size_t b) {
      return ranks_before(*trials_[a].full_report, *trials_[b].full_report);
    });
  }

  void join(SearchResult& result) {
    std::vector<size_t> best = ranked_;
    best.resize(std::min(best.size(), static_cast<size_t>(config_.members)));
    std::sort(best.begin(), best.end());
    std::vector<Job> without_prediction;  // an earlier search scored them
    for (const size_t t : best) {
      if (!kept_.contains(t)) without_prediction.push_back({t, SearchStage::kFull});
    }
    run_jobs(without_prediction, std::numeric_limits<double>::infinity(),
             [&](const Job& job, ModuleResult module, double) {
               kept_.insert_or_assign(job.trial, std::move(module));
             });
    std::vector<ModuleResult> modules;
    for (const size_t t : best) modules.push_back(std::move(kept_.at(t)));
    Fusion fusion = fuse_modules(modules, problem_, config_);
    for (size_t m = 0; m < fusion.members.size(); ++m) {
      const Trial& trial = trials_[best[fusion.members[m]]];
      result.members.push_back({trial.number, fusion.weights[m], describe(trial.spec)});
    }
    result.p = std::move(fusion.p);
    result.score = fusion.score;
  }

  const Problem& problem_;
  const Config config_;
  const Context& context_;
  const SearchOptions& options_;
  SharedInputs shared_;
  std::vector<Trial> trials_;
  std::map<size_t, ModuleResult> kept_;
  std::vector<size_t> ranked_;
  bool stopped_ = false, cut_short_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

SearchResult search_modules(const Problem& given, const Config& config, const Context& context,
                            const SearchOptions& options) {
  const Problem problem = with_class_weights(given, config);
  if (problem.val.empty()) {
    throw Error(ErrorKind::kUsage,
                "a search chooses by validation labels, and the split has no validation rows; "
                "move some of the training rows to validation");
  }
  return Search(problem, config, context, options).run();
}

int64_t planned_scores(const Problem& problem, const Config& config, const SearchOptions& options) {
  const std::vector<Trial> trials = list_trials(problem, config, options.trials);
  const auto trained = std::count_if(trials.begin(), trials.end(),
                                     [](const Trial& trial) { return is_trained(trial.spec); });
  const size_t again = options.halving ? better_third(static_cast<size_t>(trained)) : 0;
  return static_cast<int64_t>(trials.size() + again);
}

int64_t estimate_search_memory(const Problem& problem, const Config& config) {
  const Features& x = *problem.features;
  const bool is_text = look_at(x, 0, 0, false).is_text;
  // Every graph that can be drawn: up to 2 k entries a row and view, of 8 bytes.
  const int64_t graphs = (is_text ? 24 : 16) * (problem.graph ? 3 : 1);
  const int64_t entries = is_text ? 80 : 14;
  return estimate_best_memory(x, problem.classes, config) + graphs * entries * 8 * x.rows();
}

}  // namespace glgnn
