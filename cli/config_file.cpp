#include "config_file.h"

#include <glgnn/error.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "data/file.h"
#include "data/message.h"
#include "setting_options.h"

namespace glgnn::cli {
namespace {

std::string trimmed(const std::string& text) {
  const size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::string file_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::kIo, path + ": this is a folder; --config needs a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(ErrorKind::kIo, path + ": cannot read the settings: " + std::strerror(errno));
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

void apply_at(Config& config, const std::string& place, const std::string& name,
              const std::string& value) {
  try {
    set_setting(config, name, value);
  } catch (const Error& error) {
    throw Error(error.kind(), place + ": " + error.what());
  }
}

[[noreturn]] void given_twice(const std::string& place, const std::string& name) {
  throw Error(ErrorKind::kUsage,
              place + ": setting " + shortened(name) + " is given twice; keep one of them");
}

void read_json(Config& config, const std::string& path, const std::string& text) {
  using Event = nlohmann::json::parse_event_t;
  nlohmann::json object;
  std::set<std::string> names;
  const auto note_name = [&](int depth, Event event, const nlohmann::json& value) {
    if (depth != 1 || event != Event::key) return true;
    if (!names.insert(value).second) given_twice(path, value);
    return true;
  };
  try {
    object = nlohmann::json::parse(text, note_name);
  } catch (const nlohmann::json::exception& error) {  // numbers may be too large, too
    throw Error(ErrorKind::kUsage, path + ": not a JSON object: " + printable(error.what()));
  }
  for (const auto& [name, value] : object.items()) {
    // A list in a list in a list ... may be deeper than any stack.
    const std::string said = value.is_string()       ? value.get<std::string>()
                             : value.is_structured() ? value.type_name()
                                                     : value.dump();
    apply_at(config, path, name, said);
  }
}

void read_lines(Config& config, const std::string& path, const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::set<std::string> names;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::string place = path + ":" + std::to_string(number);
    const auto [name, value] = split_assignment(content, place);
    if (!names.insert(trimmed(name)).second) given_twice(place, trimmed(name));
    apply_at(config, place, trimmed(name), trimmed(value));
  }
}

}  // namespace

void read_config_file(Config& config, const std::string& path) {
  const InputFile input(path, "");
  const std::string text = file_text(input.path());
  const size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string::npos && text[start] == '{';
  is_json ? read_json(config, path, text) : read_lines(config, path, text);
}

}  // namespace glgnn::cli
