#include "dist/ranks.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/check.h"

namespace glgnn {

void Ranks::send(int, Mail, const std::string&) { GLGNN_ASSERT(false); }

std::optional<std::string> Ranks::poll(int, Mail) { return std::nullopt; }

std::string Ranks::wait(int from, Mail kind) {
  constexpr std::chrono::microseconds kShortest{20}, kLongest{2000};
  // Asleep, not spinning: other ranks may need the core.
  for (auto pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
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

std::string Ranks::share(std::string from_lead) {
  if (!leads()) return wait(0, Mail::kShare);
  for (int rank = 1; rank < count(); ++rank) send(rank, Mail::kShare, from_lead);
  return from_lead;
}

}  // namespace glgnn
