#include "fmd/advice/root_commands.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "fmd/base/text.h"

namespace fmd {
namespace {

struct Program {
  std::string_view name;
  bool listed_need_root;  // else all but the listed
  std::array<std::string_view, 14> verbs;
};

constexpr std::array kPrograms{
    Program{"fmadm",
            true,
            {"acquit", "repaired", "replaced", "ack", "locate", "retire", "restore", "replace",
             "dry-run", "maintenance", "reload", "record"}},
    Program{"zpool", false, {"status", "list", "get", "events", "iostat", "history"}},
    Program{"zfs", false, {"list", "get"}},
    Program{"systemctl", false, {"status", "is-enabled", "show"}},
    Program{"mdadm", false, {}},
    Program{"btrfs", false, {}},
    Program{"wipefs", false, {}},
    Program{"ipmitool", false, {}},
    Program{"smartctl", false, {}},
    Program{"lvconvert", false, {}},
    Program{"vgchange", false, {}}};

bool needs_root(std::string_view program, std::string_view verb) {
  const auto at = std::find_if(kPrograms.begin(), kPrograms.end(),
                               [&](const Program& one) { return one.name == program; });
  if (at == kPrograms.end() || verb.empty()) return false;
  const bool listed = std::find(at->verbs.begin(), at->verbs.end(), verb) != at->verbs.end();
  return listed == at->listed_need_root;
}

std::string_view word_at(std::string_view text, size_t from) {
  if (from >= text.size()) return {};
  const size_t end = text.find_first_of(" '", from);
  return text.substr(from, end == text.npos ? end : end - from);
}

// A quoted command begins with its program: 'zpool clear tank'. Options are no verbs.
void collect(std::string_view text, std::vector<std::string>& commands) {
  for (size_t quote = text.find('\''); quote != text.npos; quote = text.find('\'', quote + 1)) {
    const std::string_view program = word_at(text, quote + 1);
    const std::string_view verb = word_at(text, quote + program.size() + 2);
    if (!needs_root(program, verb)) continue;
    const bool plain = verb.find_first_of("-/") != 0;
    const std::string command = display(std::string(program) + (plain ? " " : "") +
                                        std::string(plain ? verb : std::string_view()));
    if (std::find(commands.begin(), commands.end(), command) == commands.end())
      commands.push_back(command);
  }
}

}  // namespace

std::string root_words(const Say& say) {
  std::vector<std::string> commands;
  collect(say.do_now, commands);
  for (const auto* list : {&say.steps, &say.next, &say.disagree})
    for (const std::string& text : *list) collect(text, commands);
  std::string out;
  for (const std::string& command : commands)
    out += (out.empty() ? "Run as root, for example with sudo: " : ", ") + command;
  return out.empty() ? out : out + '.';
}

}  // namespace fmd
