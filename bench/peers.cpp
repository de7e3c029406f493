#include <filesystem>

#include "bench/bench.h"
#include "core/share_folder.h"

namespace glgnn::bench {
namespace {

namespace fs = std::filesystem;

std::string failure(const std::string& who, const Ended& ended) {
  const std::string line = ended.last_error_line();
  if (line.find("No module named") != std::string::npos) return "not installed: " + line;
  if (ended.status == 128 + 9) return who + " was killed, as when the memory is used up";
  return who + " ended with status " + std::to_string(ended.status) + ": " + line;
}

Json parsed(const Ended& ended) { return Json::parse(ended.out, nullptr, false); }

}  // namespace

Result run_ours(const Options& options, const std::string& task, const std::string& folder) {
  options.say(task);
  Result result{.name = task};
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string(),
                                   "--child",
                                   task,  //
                                   "--threads",
                                   std::to_string(options.threads),
                                   "--device",
                                   options.device};
  if (options.quick) command.emplace_back("--quick");
  if (!folder.empty()) command.insert(command.end(), {"--folder", folder});
  if (!options.mnist.empty()) command.insert(command.end(), {"--mnist", options.mnist});
  const Ended ended = run_process(command);
  const Json answer = parsed(ended);
  if (ended.status != 0 || !answer.is_object()) {
    result.note = failure("the measuring process", ended);
    return result;
  }
  result.seconds = answer.at("seconds").get<double>();
  if (!answer.at("peak_mb").is_null()) result.peak_mb = answer.at("peak_mb").get<double>();
  result.extra = answer.at("extra");
  return result;
}

PeerAnswer run_peer(const Options& options, const std::string& script,
                    const std::vector<std::string>& arguments) {
  if (options.python == "none") return {{}, "left out by --peers none"};
  const fs::path file = share_folder("peers") / script;
  if (!fs::exists(file)) return {{}, file.string() + " is not there"};
  std::vector<std::string> command{options.python, file.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::string threads = std::to_string(options.threads);
  // Peers wait as they are used to: our way of letting threads sleep is for our own loops.
  try {
    const Ended ended = run_process(command, {"GOMP_SPINCOUNT", "OMP_NUM_THREADS=" + threads,
                                              "OPENBLAS_NUM_THREADS=" + threads});
    const Json answer = parsed(ended);
    if (ended.status == 0 && answer.is_object()) return {answer, ""};
    return {{}, failure("the peer", ended)};
  } catch (const std::exception& error) {
    return {{}, error.what()};
  }
}

}  // namespace glgnn::bench
