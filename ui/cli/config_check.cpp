// fmadm config check: runs each program's check of its own configuration file.
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/client/paths.h"

namespace fmd::cli {
namespace {

constexpr std::array kPlugins{FMD_PLUGINS};
constexpr int kNotFound = 127, kTimedOut = 124;  // from sh(1) and timeout(1)

struct Checked {
  std::string file;  // "zfs.toml"
  bool good = false;
  std::vector<std::string> said;  // a line per error or, if the file is good, per warning
};

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Runs the program that reads the file and collects its errors.
Checked check(const std::string& program, const std::string& file,
              const ConfigCheckOptions& options) {
  Checked out{file, false, {}};
  std::string command = "PATH=\"$PATH:/usr/sbin:/sbin\" timeout 20 " + quoted(program) + " --check";
  const std::string path = options.folder + "/" + file;
  std::error_code error;
  if (std::filesystem::exists(path, error)) command += " --config " + quoted(path);
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return out;
  std::array<char, 2000> line{};
  while (fgets(line.data(), line.size(), pipe) && out.said.size() < 100) {
    std::string text = clean_prose(line.data());
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    // Lines for the journal begin with a priority, "<3>".
    if (text.size() > 3 && text[0] == '<' && text[2] == '>') text.erase(0, 3);
    if (!text.empty()) out.said.push_back(std::move(text));
  }
  const int status = pclose(pipe);
  out.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (out.good)
    std::erase_if(out.said, [](const std::string& said) { return !said.starts_with("warning: "); });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
    out.said = {program + " is not installed"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kTimedOut)
    out.said.push_back(program + " did not end within 20 s");
  if (!out.good && out.said.empty()) out.said = {program + " ended without a word"};
  return out;
}

bool is_there(const std::string& program) {
  std::error_code error;
  return std::filesystem::exists(program, error);
}

}  // namespace

Result<void> config_check(const ConfigCheckOptions& options) {
  std::vector<Checked> all;
  const std::string fmd = options.programs + "/fmd";
  all.push_back(check(is_there(fmd) ? fmd : "fmd", "fmd.toml", options));
  for (const std::string name : kPlugins)
    if (const std::string program = options.programs + "/fmd-" + name; is_there(program))
      all.push_back(check(program, name + ".toml", options));
  nlohmann::json docs = nlohmann::json::array();
  std::string text;
  size_t wrong = 0;
  for (const Checked& one : all) {
    using Lines = std::vector<std::string>;
    docs.push_back({{"file", one.file},
                    {"ok", one.good},
                    {"errors", one.good ? Lines() : one.said},
                    {"warnings", one.good ? one.said : Lines()}});
    text += pad(one.file, 20) + (one.good ? "no error\n" : "not right:\n");
    for (const std::string& line : one.said) text += wrapped("    ", line, 6);
    wrong += !one.good;
  }
  if (auto said = print(options.json ? json_text(docs) : text); !said) return said;
  if (wrong > 0) return fail(fmt::format("{} of {} not right", wrong, all.size()));
  return {};
}

}  // namespace fmd::cli
