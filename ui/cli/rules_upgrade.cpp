// fmadm rules upgrade: removes keys of earlier releases, which fmd ignores, from rule files, and writes
// the words of this release.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {
namespace {

using Ignored = RuleSet::Ignored;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// TOML may also write the key in quotes or as part of a table on one line: such a line stays.
bool is_about(const std::string& line, const std::string& key) {
  const size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line.compare(at, key.size(), key) != 0) return false;
  const size_t equals = line.find_first_not_of(" \t", at + key.size());
  return equals != std::string::npos && line[equals] == '=';
}

// The line with another text after "=": false if there is no text in double quotes.
bool set_text(std::string& line, const std::string& now) {
  const size_t from = line.find('"', line.find('='));
  const size_t to = from == std::string::npos ? from : line.find('"', from + 1);
  if (to == std::string::npos) return false;
  line.replace(from, to + 1 - from, now);
  return true;
}

bool is_header(const std::string& line) {
  const size_t at = line.find_first_not_of(" \t");
  return at != std::string::npos && line[at] == '[';
}

bool is_content(const std::string& line) {
  const size_t at = line.find_first_not_of(" \t\r");
  return at != std::string::npos && line[at] != '#';
}

// An override that changes nothing would be an error. Its comments stay.
void drop_empty_override(const std::vector<std::string>& lines, size_t removed,
                         std::set<size_t>& dropped) {
  size_t first = removed;
  while (first > 0 && !is_header(lines[first])) --first;
  if (lines[first].find("[[override]]") == std::string::npos) return;
  std::set<size_t> names{first};
  for (size_t i = first + 1; i < lines.size() && !is_header(lines[i]); ++i) {
    if (dropped.contains(i) || !is_content(lines[i])) continue;
    if (!is_about(lines[i], "rule") && !is_about(lines[i], "fault")) return;
    names.insert(i);
  }
  dropped.merge(names);
}

Result<std::string> read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!(text << in.rdbuf())) return fail(fmt::format("{}: {}", file, std::strerror(errno)));
  return text.str();
}

// Replaced as a whole, with the mode of the old one: fmd may read it at any time.
Result<void> write(const std::string& file, const std::vector<std::string>& lines) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(file, error);  // may be a link
  const std::string next = target.string() + ".new";
  std::ofstream out(next, std::ios::binary);
  for (const std::string& line : lines) out << line << '\n';
  out.close();
  if (out) std::filesystem::permissions(next, std::filesystem::status(target).permissions(), error);
  if (out && !error) std::filesystem::rename(next, target, error);
  if (out && !error) return {};
  const std::string why = error ? error.message() : std::strerror(errno);
  std::filesystem::remove(next, error);
  return fail(fmt::format("{} is not changed: {}", file, why));
}

struct Upgrade {
  std::vector<Ignored> removed, replaced, left;
};

Result<Upgrade> upgrade(const std::string& file, const std::vector<Ignored>& keys, bool dry_run) {
  const auto text = read(file);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> before = lines_of(*text);
  std::vector<std::string> after;
  Upgrade out;
  std::set<size_t> dropped;  // from 0
  for (const Ignored& one : keys) {
    const auto line = static_cast<size_t>(one.line);
    const bool found = line > 0 && line <= before.size() && is_about(before[line - 1], one.key);
    if (found && one.now.empty()) {
      out.removed.push_back(one);
      dropped.insert(line - 1);
    } else {
      const bool is_set = found && set_text(before[line - 1], one.now);
      (is_set ? out.replaced : out.left).push_back(one);
    }
  }
  for (const Ignored& one : out.removed)
    drop_empty_override(before, static_cast<size_t>(one.line) - 1, dropped);
  for (size_t i = 0; i < before.size(); ++i)
    if (!dropped.contains(i)) after.push_back(before[i]);
  if (!dry_run && !(out.removed.empty() && out.replaced.empty()))
    if (auto done = write(file, after); !done) return tl::unexpected(done.error());
  return out;
}

nlohmann::json json_of(const std::vector<Ignored>& keys) {
  nlohmann::json out = nlohmann::json::array();
  for (const Ignored& one : keys)
    out.push_back({{"file", one.file}, {"line", one.line}, {"rule", one.rule}, {"key", one.key}});
  return out;
}

}  // namespace

Result<void> rules_upgrade(const RulesOptions& options) {
  const LoadedRules loaded = load_rules(options.paths, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  std::map<std::string, std::vector<Ignored>> by_file;
  for (const Ignored& one : loaded.rules->ignored()) by_file[one.file].push_back(one);
  Upgrade all;
  for (const auto& [file, keys] : by_file) {
    const auto done = upgrade(file, keys, options.dry_run);
    if (!done) return tl::unexpected(done.error());
    all.removed.insert(all.removed.end(), done->removed.begin(), done->removed.end());
    all.replaced.insert(all.replaced.end(), done->replaced.begin(), done->replaced.end());
    all.left.insert(all.left.end(), done->left.begin(), done->left.end());
  }
  if (options.json)
    return print(json_text({{"removed", json_of(all.removed)},
                            {"replaced", json_of(all.replaced)},
                            {"left", json_of(all.left)}}));
  std::string said;
  const auto say = [&](const std::vector<Ignored>& keys, std::string_view what) {
    for (const Ignored& one : keys)
      said += clean_prose(fmt::format("{}:{}: rule \"{}\": \"{}\" {}", one.file, one.line, one.rule,
                                      one.key, what)) +
              "\n";
  };
  say(all.removed, options.dry_run ? "would be removed" : "removed");
  for (const Ignored& one : all.replaced)
    say({one}, fmt::format("{} {}", options.dry_run ? "would be" : "is now", one.now));
  say(all.left, "is left: change it by hand");
  if (said.empty())
    said = fmt::format(
        "Nothing to do: {} up to date\n",
        loaded.files.size() == 1 ? "the file is" : counted(loaded.files.size(), "file") + " are");
  else if (!options.dry_run && !(all.removed.empty() && all.replaced.empty()))
    said += "'fmadm reload' makes fmd read the rules again.\n";
  return print(said);
}

}  // namespace fmd::cli
