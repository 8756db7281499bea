#include "ui/cli/terminal.h"

#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fmd/base/json.h"

extern char** environ;

namespace fmd::cli {
namespace {

constexpr size_t kUsual = 80, kLeast = 40, kMost = 200, kProse = 100;

struct Settled {
  size_t columns = kUsual;
  bool terminal = false, colours = false;
  pid_t pager = -1;
} output_now;

std::string_view from_environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

size_t measured() {
  const std::string_view told = from_environment("COLUMNS");
  size_t columns = 0;
  const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), columns);
  if (error == std::errc{} && end == told.data() + told.size() && columns > 0) return columns;
  winsize size{};
  if (output_now.terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return kUsual;
}

std::string pager_command() {
  for (const char* name : {"FMD_PAGER", "PAGER"})
    if (const char* value = getenv(name)) return value;
  return "less";
}

}  // namespace

void settle_terminal(Colours colours) {
  output_now.terminal = isatty(STDOUT_FILENO) == 1;
  set_width(measured());
  const bool wanted = output_now.terminal && from_environment("NO_COLOR").empty() &&
                      from_environment("TERM") != "dumb";
  output_now.colours = colours == Colours::always || (colours == Colours::automatic && wanted);
}

bool is_terminal() {
  return output_now.terminal;
}

bool shows_utf8() {
  if (!output_now.terminal) return true;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string set(from_environment(name));
    if (set.empty()) continue;
    std::transform(set.begin(), set.end(), set.begin(), [](unsigned char c) { return tolower(c); });
    return set.find("utf-8") != set.npos || set.find("utf8") != set.npos;
  }
  return false;
}

std::string in_ascii(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kForms{{{"×", "x"},
                                                                                 {"…", "..."},
                                                                                 {"–", "-"},
                                                                                 {"—", "-"},
                                                                                 {"→", "->"},
                                                                                 {"°", ""},
                                                                                 {"µ", "u"},
                                                                                 {"≥", ">="}}};
  const bool json = text.starts_with('{') || text.starts_with('[');
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      out += text[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    const std::string_view one = text.substr(i, end - i);
    i = end;
    if (json) {
      const std::string escaped =
          nlohmann::json(one).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
      out.append(escaped, 1, escaped.size() - 2);  // without the quotes
      continue;
    }
    const auto form = std::find_if(kForms.begin(), kForms.end(),
                                   [&](const auto& entry) { return entry.first == one; });
    out += form == kForms.end() ? "?" : form->second;
  }
  return out;
}

size_t width() {
  return output_now.columns;
}

size_t prose_width() {
  return std::min(output_now.columns, kProse);
}

void set_width(size_t columns) {
  output_now.columns = std::clamp(columns, kLeast, kMost);
}

std::string painted(std::string_view text, Tone tone) {
  constexpr std::array<std::string_view, 6> kCodes{"", "1;31", "33", "32", "2", "1"};
  if (!output_now.colours || tone == Tone::plain || text.empty()) return std::string(text);
  return "\x1b[" + std::string(kCodes[static_cast<size_t>(tone)]) + "m" + std::string(text) +
         "\x1b[0m";
}

Tone tone_of_severity(std::string_view severity) {
  if (severity == "Critical" || severity == "Major") return Tone::grave;
  return severity == "Minor" ? Tone::minor : Tone::plain;
}

Tone tone_of_pool(std::string_view state) {
  if (state == "ONLINE" || state == "optimal") return Tone::good;
  return state == "DEGRADED" || state == "degraded" ? Tone::minor : Tone::grave;
}

void start_pager() {
  const std::string command = pager_command();
  if (!output_now.terminal || output_now.pager > 0 || command.empty() || command == "cat") return;
  int ends[2];
  if (pipe(ends) != 0) return;
  // As in git: less exits if all fits on the screen (F), passes colours (R), leaves the text (X).
  setenv("LESS", "FRX", 0);
  // Under sudo, the pager must not offer a root shell.
  if (getenv("SUDO_UID")) setenv("LESSSECURE", "1", 1);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addclose(&files, ends[0]);
  posix_spawn_file_actions_addclose(&files, ends[1]);
  // If the pager is not installed, cat shows the text.
  std::string line = "exec 2>/dev/null; command -v " + command.substr(0, command.find(' ')) +
                     " >/dev/null || exec cat; exec " + command;
  char shell[] = "sh", option[] = "-c";
  char* const words[] = {shell, option, line.data(), nullptr};
  const int failed = posix_spawn(&output_now.pager, "/bin/sh", &files, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    output_now.pager = -1;
  } else {
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    // ^C goes to the pager. If the user quits it early, print() ends this program quietly.
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
  }
  close(ends[0]);
  close(ends[1]);
}

void end_pager() {
  if (output_now.pager <= 0) return;
  fflush(stdout);
  close(STDOUT_FILENO);
  while (waitpid(output_now.pager, nullptr, 0) < 0 && errno == EINTR) continue;
  output_now.pager = -1;
}

bool has_pager() {
  return output_now.pager > 0;
}

}  // namespace fmd::cli
