#include "dist/ranks.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "core/check.h"

namespace glgnn {
namespace {

// Asleep, not spinning: other ranks may need the core.
constexpr std::chrono::microseconds kShortestPause{20}, kLongestPause{2000};

}  // namespace

std::unique_ptr<Sending> Ranks::start(int, Mail, std::string) {
  GLGNN_ASSERT(false);
  return nullptr;
}

void Ranks::send(int to, Mail kind, std::string bytes) {
  const auto sending = start(to, kind, std::move(bytes));
  while (!sending->done()) std::this_thread::sleep_for(kShortestPause);
}

std::optional<std::string> Ranks::poll(int, Mail) { return std::nullopt; }

std::string Ranks::wait(int from, Mail kind) {
  for (auto pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (auto bytes = poll(from, kind)) return std::move(*bytes);
    std::this_thread::sleep_for(pause);
  }
}

std::vector<std::string> Ranks::gather(const std::string& own) {
  if (!leads()) {
    send(0, Mail::kMeeting, own);
    return {};
  }
  std::vector<std::string> all{own};
  for (int rank = 1; rank < count(); ++rank) all.push_back(wait(rank, Mail::kMeeting));
  return all;
}

std::vector<std::string> Ranks::swap(std::vector<std::string> to_each) {
  std::vector<std::unique_ptr<Sending>> sending;
  for (int rank = 0; rank < count(); ++rank) {
    if (rank != self()) sending.push_back(start(rank, Mail::kSwap, std::move(to_each[rank])));
  }
  for (int rank = 0; rank < count(); ++rank) {
    if (rank != self()) to_each[rank] = wait(rank, Mail::kSwap);
  }
  for (const auto& letter : sending) {
    while (!letter->done()) std::this_thread::sleep_for(kShortestPause);
  }
  return to_each;
}

std::string Ranks::share(std::string from_lead) {
  if (!leads()) return wait(0, Mail::kShare);
  for (int rank = 1; rank < count(); ++rank) send(rank, Mail::kShare, from_lead);
  return from_lead;
}

std::string Ranks::in_turn(const std::function<std::string(const std::string&)>& add) {
  std::string left = add(leads() ? "" : wait(self() - 1, Mail::kSwap));
  if (count() == 1) return left;
  send((self() + 1) % count(), Mail::kSwap, std::move(left));
  return share(leads() ? wait(count() - 1, Mail::kSwap) : "");
}

std::string gpu_of_rank(const std::string& visible, int count, int local) {
  std::vector<std::string> gpus;
  std::istringstream list(visible);
  for (std::string gpu; std::getline(list, gpu, ',');) gpus.push_back(gpu);
  for (int gpu = 0; visible.empty() && gpu < count; ++gpu) gpus.push_back(std::to_string(gpu));
  return gpus.empty() ? "" : gpus[static_cast<size_t>(local) % gpus.size()];
}

}  // namespace glgnn
