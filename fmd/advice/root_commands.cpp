#include "fmd/advice/root_commands.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "fmd/base/text.h"

namespace fmd {
namespace {

// A program whose commands need root: only the listed ones, or all except these. A listed command
// may have two words.
struct Program {
  std::string_view name;
  bool listed_need_root;
  std::array<std::string_view, 15> commands;
};

constexpr std::array kPrograms{
    Program{"fmadm",
            true,
            {"acquit", "repaired", "replaced", "ack", "locate", "retire", "restore", "replace",
             "dry-run", "maintenance", "reload", "record", "smart test", "notify test"}},
    Program{"zpool", false, {"status", "list", "get", "events", "iostat", "history"}},
    Program{"zfs", false, {"list", "get"}},
    Program{"systemctl", false, {"status", "is-enabled", "show"}},
    Program{"btrfs", false, {}},
    Program{"cxl", false, {}},
    Program{"dmesg", false, {}},  // Debian sets kernel.dmesg_restrict
    Program{"echo", false, {}},   // into a file of /sys
    Program{"fstrim", false, {}},
    Program{"ipmitool", false, {}},
    Program{"journalctl", false, {}},  // or a member of the group adm
    Program{"lvchange", false, {}},
    Program{"lvconvert", false, {}},
    Program{"lvcreate", false, {}},
    Program{"lvextend", false, {}},
    Program{"lvremove", false, {}},
    Program{"lvs", false, {}},
    Program{"mdadm", false, {}},
    Program{"modprobe", false, {}},
    Program{"mount", false, {}},
    Program{"multipath", false, {}},
    Program{"pvs", false, {}},
    Program{"smartctl", false, {}},
    Program{"vgchange", false, {}},
    Program{"vgreduce", false, {}},
    Program{"wipefs", false, {}}};

const Program* program_called(std::string_view name) {
  const auto at = std::find_if(kPrograms.begin(), kPrograms.end(),
                               [&](const Program& one) { return one.name == name; });
  return at == kPrograms.end() ? nullptr : &*at;
}

std::string_view word_at(std::string_view text, size_t from) {
  if (from >= text.size()) return {};
  const size_t end = text.find_first_of(" '", from);
  return text.substr(from, end == text.npos ? end : end - from);
}

// The listed command that these arguments begin with; "" none.
std::string_view listed_command(const Program& program, std::string_view arguments) {
  for (const std::string_view command : program.commands)
    if (!command.empty() && arguments.starts_with(command) &&
        word_at(arguments, command.size()).empty())
      return command;
  return {};
}

// A quoted command begins with its program: 'zpool clear tank'. An option is not the command's name.
void collect(std::string_view text, std::vector<std::string>& commands) {
  for (size_t quote = text.find('\''); quote != text.npos; quote = text.find('\'', quote + 1)) {
    const Program* program = program_called(word_at(text, quote + 1));
    if (!program) continue;
    std::string_view arguments = text.substr(quote + 1 + program->name.size());
    arguments = arguments.starts_with(' ') ? arguments.substr(1) : std::string_view();
    const std::string_view verb = word_at(arguments, 0);
    const std::string_view listed = listed_command(*program, arguments);
    if (listed.empty() == program->listed_need_root) continue;
    std::string command(program->name);
    if (verb.find_first_of("-/") != 0 && !verb.empty())
      command += " " + std::string(listed.empty() ? verb : listed);
    command = display(command);
    if (std::find(commands.begin(), commands.end(), command) == commands.end())
      commands.push_back(command);
  }
}

}  // namespace

bool may_need_root(std::string_view program) {
  return program_called(program) != nullptr;
}

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
