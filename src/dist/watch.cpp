#include "dist/watch.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace glgnn {
namespace {

constexpr double kSilence = 8;  // seconds; then a rank of another machine is taken for dead
constexpr double kBeat = 1;
constexpr std::chrono::milliseconds kLook{100};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Where a process number means the same process: this start of the machine, this container.
std::string place() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  return boot + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

// What a rank says of itself: process, host and place.
struct Card {
  int process = 0;
  std::string host, place;
};

// Killed, and perhaps not yet buried by who started it.
bool is_gone(int process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return false;
  const size_t name_end = stat.rfind(") ");  // then one letter for its state
  return name_end != std::string::npos && stat[name_end + 2] == 'Z';
}

Card read_card(const std::string& text) {
  Card card;
  std::istringstream(text) >> card.process >> card.host >> card.place;
  return card;
}

}  // namespace

Watch::Watch(Ranks& ranks, OnLost on_lost) : ranks_(ranks), on_lost_(std::move(on_lost)) {
  std::string cards;
  for (const auto& card :
       ranks.gather(std::to_string(::getpid()) + " " + host_name() + " " + place())) {
    cards += card + "\n";
  }
  std::istringstream lines(ranks.share(std::move(cards)));
  const double now = seconds_now();
  for (std::string line; std::getline(lines, line);) {
    const Card card = read_card(line);
    const int rank = static_cast<int>(names_.size());
    names_.push_back("rank " + std::to_string(rank) + " (process " + std::to_string(card.process) +
                     " on " + card.host + ")");
    const bool is_watched = ranks.leads() ? rank != 0 : rank == 0;
    if (is_watched) watched_.push_back({rank, card.place == place() ? card.process : 0, now});
  }
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Watch::~Watch() = default;  // stops the thread, and waits for it

void Watch::give_up(const std::string& words, int status) {
  ranks_.send(0, Mail::kBeat, std::to_string(status) + " " + words);
}

void Watch::look(double now) {
  // While this rank was stopped itself (Ctrl-Z stops all) nobody's silence counts.
  const double away = looked_ > 0 && now - looked_ > kBeat ? now - looked_ : 0;
  looked_ = now;
  for (Watched& other : watched_) {
    other.heard += away;
    if (other.process != 0 && is_gone(other.process)) on_lost_(name(other.rank) + " is gone", 0);
    while (const auto beat = ranks_.poll(other.rank, Mail::kBeat)) {
      other.heard = now;
      if (beat->empty()) continue;
      const size_t space = beat->find(' ');
      on_lost_(name(other.rank) + ": " + beat->substr(space + 1), std::stoi(*beat));
    }
    if (now - other.heard > kSilence) {
      on_lost_(name(other.rank) + " has been silent for " +
                   std::to_string(static_cast<int>(kSilence)) + " seconds",
               0);
    }
  }
}

void Watch::run(std::stop_token stop) {
  double sent = 0;
  while (!stop.stop_requested()) {
    const double now = seconds_now();
    if (now - sent >= kBeat) {
      for (const Watched& other : watched_) ranks_.send(other.rank, Mail::kBeat, "");
      sent = now;
    }
    look(now);
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace glgnn
