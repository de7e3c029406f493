// Every setting of the method on the command line: --NAME VALUE, --set NAME=VALUE, --config FILE.
#pragma once

#include <glgnn/config.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace glgnn::cli {

class SettingOptions {
 public:
  void add_to(CLI::App& app);

  // The defaults, then the file, then the command line.
  Config config() const;

 private:
  std::string file_;
  std::vector<std::string> assignments_;  // NAME=VALUE
  std::map<std::string, std::string> named_;
  std::map<std::string, const CLI::Option*> options_;  // of the named ones
};

// "k=20" -> {"k", "20"}; kUsage naming `option` where there is no "=".
std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     const std::string& option);

// kUsage where the mode of `config` does not read the setting.
void check_mode_reads(const Config& config, const std::string& name);

// Settings from a file: a JSON object, or lines NAME = VALUE with # comments.
void read_config_file(Config& config, const std::string& path);

}  // namespace glgnn::cli
