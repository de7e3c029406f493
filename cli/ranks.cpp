#include "ranks.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <glgnn/error.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/new_file.h"
#include "data/npz.h"
#include "dist/all_pairs.h"
#include "dist/hand_out.h"
#include "dist/watch.h"
#include "report/json.h"
#include "report/machine.h"
#include "start.h"

namespace glgnn::cli {
namespace {

// Thrown on a rank that rank 0 has sent home.
struct SentHome {};

// This process's part in a run. Each rank comes to one meeting before the work; who fails earlier,
// or has no work to share, comes to it when it ends.
class Run {
 public:
  Run() : ranks_(open_ranks()) {
    if (!is_shared()) return;
    if (!ranks_->leads()) become_silent();
    watch_ = std::make_unique<Watch>(
        *ranks_, [this](const std::string& words, int status) { end_for_loss(words, status); });
  }

  Ranks& ranks() { return *ranks_; }
  bool is_shared() const { return ranks_->count() > 1; }

  void meet_before_work(const Facts& facts) {
    if (!is_shared()) return;
    const std::string problem = meet({{"status", 0}, {"facts", facts}});
    if (!problem.empty()) throw Error(ErrorKind::kUsage, problem);
    works_ = true;
  }

  void name_checkpoint(const std::string& path) { checkpoint_ = path; }

  // Gives the exit status of this process.
  int end(int status) {
    if (!is_shared()) return status;
    std::fflush(nullptr);
    if (works_ && status != 0) leave_the_others(status);
    if (!has_met_) status = meet_at_the_end(status);
    ranks_->gather("");
    ranks_->share("");
    watch_.reset();
    ranks_.reset();
    return status;
  }

 private:
  void become_silent() {
    // The launcher passes signals on to all; rank 0 decides.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    std::fflush(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
    kept_words_ = ::memfd_create("glgnn-words", MFD_CLOEXEC);
    ::dup2(kept_words_, STDERR_FILENO);
  }

  // The last line that this silent rank would have printed.
  std::string last_words() const {
    if (ranks_->leads()) return "";
    std::string text(4096, '\0');
    const off_t size = ::lseek(kept_words_, 0, SEEK_END);
    const ssize_t got = ::pread(kept_words_, text.data(), text.size(),
                                std::max<off_t>(0, size - static_cast<off_t>(text.size())));
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    const std::string ours = "glgnn: ";
    return text.starts_with(ours) ? text.substr(ours.size()) : text;
  }

  // On rank 0: what keeps the ranks from working together; empty: nothing.
  std::string meet(const Json& own) {
    has_met_ = true;
    const auto said = ranks_->gather(json_text(own));
    const std::string problem = ranks_->leads() ? problem_of(said) : "";
    const bool goes_on = own.contains("facts") && problem.empty();
    if (ranks_->share(goes_on ? "work" : "home") != "work" && !ranks_->leads()) throw SentHome();
    return problem;
  }

  std::string problem_of(const std::vector<std::string>& said) const {
    const Json own = Json::parse(said.front());
    for (size_t rank = 1; rank < said.size(); ++rank) {
      const std::string& name = watch_->name(static_cast<int>(rank));
      const Json other = Json::parse(said[rank]);
      if (other.at("status") != 0) return name + ": " + other.at("words").get<std::string>();
      if (!own.contains("facts") || !other.contains("facts")) continue;
      for (size_t f = 0; f < own.at("facts").size(); ++f) {
        const Json &ours = own.at("facts")[f], &theirs = other.at("facts")[f];
        if (ours == theirs) continue;
        return fmt::format(
            "{} has another {} than rank 0: found {}, expected {}; give all ranks the same "
            "program, "
            "files and settings",
            name, ours[0].get<std::string>(), theirs[1].get<std::string>(),
            ours[1].get<std::string>());
      }
    }
    return "";
  }

  int meet_at_the_end(int status) {
    try {
      const std::string problem = meet({{"status", status}, {"words", last_words()}});
      if (problem.empty() || status != 0) return status;
      fmt::print(stderr, "glgnn: {}\n", problem);
      return exit_status(ErrorKind::kUsage);
    } catch (const SentHome&) {
      return status;
    }
  }

  // In the middle of the work. The launcher ends the other ranks.
  [[noreturn]] void leave_the_others(int status) {
    if (!ranks_->leads()) {
      watch_->give_up(last_words(), status);
      ranks_->wait(0, Mail::kShare);  // which rank 0 will not send
    }
    ::_exit(status);
  }

  void end_for_loss(const std::string& words, int status) {
    if (!ranks_->leads()) ::_exit(exit_status(ErrorKind::kIo));
    // The launcher asks to end too: not before what is finished is kept, and said.
    for (const int signal : {SIGINT, SIGTERM, SIGALRM}) std::signal(signal, SIG_IGN);
    bool is_kept = true;
    try {
      is_kept = keep_finished_pieces();
    } catch (const std::exception& error) {
      fmt::print(stderr, "\nglgnn: what is finished could not be kept: {}", error.what());
    }
    is_kept = is_kept || std::filesystem::exists(checkpoint_);
    std::fflush(stdout);
    fmt::print(stderr, "\nglgnn: {}; the run ends. {}\n", words,
               is_kept ? "What is finished is kept: --resume goes on with any number of ranks"
                       : "Nothing was written");
    ::_exit(status != 0 ? status : exit_status(ErrorKind::kIo));
  }

  std::unique_ptr<Ranks> ranks_;
  std::unique_ptr<Watch> watch_;
  std::string checkpoint_;
  int kept_words_ = -1;
  bool has_met_ = false, works_ = false;
};

Run* this_run = nullptr;

}  // namespace

Ranks& ranks() {
  static Ranks alone;
  return this_run ? this_run->ranks() : alone;
}

Facts facts_of_run(uint64_t data, const std::string& asked) {
  return {{"program", version() + " (" + commit() + ")"},
          {"data", fmt::format("hash {:016x}", data)},
          {"settings", asked}};
}

void name_checkpoint(const std::string& path) {
  if (this_run) this_run->name_checkpoint(path);
}

void require_same_on_all_ranks(const Facts& facts) {
  if (this_run) this_run->meet_before_work(facts);
}

void write_rows(const std::string& path, const char* type, std::string_view bytes, int64_t rows,
                int64_t wide, Ranks& all) {
  if (path.empty()) return;
  constexpr size_t kPiece = size_t{1} << 24;
  constexpr int64_t kWidth = 4;  // of a number
  if (!all.leads()) {
    for (size_t at = 0; at < bytes.size(); at += kPiece) {
      all.send(0, Mail::kRows, std::string(bytes.substr(at, kPiece)));
    }
    return;
  }
  NewFile file(path);
  file.write(npy_header(type, {rows, wide}));
  file.write(bytes);
  for (int rank = 1; rank < all.count(); ++rank) {
    const auto expected =
        static_cast<size_t>(rows_of_rank(rows, all.count(), rank).size() * wide * kWidth);
    for (size_t got = 0; got < expected;) {
      const std::string piece = all.wait(rank, Mail::kRows);
      file.write(piece);
      got += piece.size();
    }
  }
  file.commit();
}

int run_on_ranks(const std::function<int()>& program) {
  Run run;
  this_run = &run;
  int status = 0;  // of a rank that was sent home
  try {
    status = program();
  } catch (const SentHome&) {
  } catch (...) {
    status = report_failure();
  }
  status = run.end(status);
  this_run = nullptr;
  return status;
}

}  // namespace glgnn::cli
