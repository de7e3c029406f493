#include "watched_fit.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace glgnn::python {
namespace {

namespace py = pybind11;

class Watch {
 public:
  // From the training: false to stop it.
  bool tell(const EpochReport& report) {
    const std::scoped_lock locked(lock_);
    reports_.push_back(report);
    news_.notify_one();
    return !stop_;
  }

  void finish() {
    const std::scoped_lock locked(lock_);
    done_ = true;
    news_.notify_one();
  }

  void stop() { stop_ = true; }

  // Waits for news, a moment at the most; `reports` gets what was told since.
  bool wait_until_done(std::vector<EpochReport>& reports) {
    constexpr std::chrono::milliseconds kMoment(50);
    std::unique_lock locked(lock_);
    news_.wait_for(locked, kMoment, [&] { return done_ || !reports_.empty(); });
    reports.clear();
    reports.swap(reports_);
    return done_;
  }

 private:
  std::mutex lock_;
  std::condition_variable news_;
  std::vector<EpochReport> reports_;
  bool done_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace

py::dict to_dict(const EpochReport& report) {
  py::dict line;
  line["epoch"] = report.epoch;
  line["epochs"] = report.epochs;
  line["loss"] = report.loss;
  line["loss_graph"] = report.loss_graph;
  line["loss_entropy"] = report.loss_entropy;
  line["loss_decay"] = report.loss_decay;
  line["train_accuracy"] = report.train_accuracy;
  line["val_accuracy"] = report.val_accuracy;
  line["val_loss"] = report.val_loss;
  line["best"] = report.best;
  line["seconds"] = report.seconds;
  return line;
}

FitResult watched_fit(const std::function<FitResult(const FitOptions&)>& train,
                      const py::object& on_epoch) {
  Watch watch;
  std::optional<FitResult> result;
  std::exception_ptr failure, interruption;
  FitOptions options;
  options.on_epoch = [&](const EpochReport& report) { return watch.tell(report); };
  std::thread training([&] {
    try {
      result = train(options);
    } catch (...) {
      failure = std::current_exception();
    }
    watch.finish();
  });
  std::vector<EpochReport> reports;
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release others_run;
      done = watch.wait_until_done(reports);
    }
    if (interruption) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      for (const EpochReport& report : reports) {
        if (!on_epoch.is_none()) on_epoch(to_dict(report));
      }
    } catch (...) {
      interruption = std::current_exception();
      watch.stop();
    }
  }
  {
    const py::gil_scoped_release others_run;
    training.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace glgnn::python
