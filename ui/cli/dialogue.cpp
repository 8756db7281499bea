#include "ui/cli/dialogue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "ui/cli/commands.h"

namespace fmd::cli {
namespace {

volatile sig_atomic_t interrupts = 0;

Result<std::string> read_line() {
  std::string line;
  for (char c = 0;;) {
    if (interrupts) return tl::unexpected(stopped_error());
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return tl::unexpected(stopped_error());
    if (c == '\n') break;
    if (line.size() < 1000) line += c;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

}  // namespace

Interrupts::Interrupts() {
  interrupts = 0;
  struct sigaction action {};
  // Without SA_RESTART, so that a signal ends a read that waits for an answer.
  action.sa_handler = [](int) { interrupts = interrupts + 1; };
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

Interrupts::~Interrupts() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int Interrupts::count() {
  return interrupts;
}

Error stopped_error() {
  return {"stopped; nothing was written", {}, 0};
}

Result<std::string> ask(const std::string& question) {
  if (auto said = print(question + " "); !said) return tl::unexpected(said.error());
  auto line = read_line();
  if (!line) (void)print("\n");  // end the question's line
  return line;
}

Result<int> ask_number(const std::string& question, int usual, int most) {
  for (;;) {
    const auto line = ask(fmt::format("{} [{}]", question, usual));
    if (!line) return tl::unexpected(line.error());
    if (line->empty()) return usual;
    int number = -1;
    const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), number);
    if (error == std::errc() && end == line->data() + line->size() && number >= 0 && number <= most)
      return number;
    if (auto said = print(fmt::format("A number from 0 to {}, please.\n", most)); !said)
      return tl::unexpected(said.error());
  }
}

Result<std::string> ask_word(const std::string& question, const std::vector<std::string>& words,
                             const std::string& usual) {
  for (;;) {
    const auto line = ask(fmt::format("{} [{}]", question, usual));
    if (!line) return tl::unexpected(line.error());
    if (line->empty()) return usual;
    for (const std::string& word : words)
      if (word.starts_with(*line)) return word;
    if (auto said = print(fmt::format("One of {}, please.\n", fmt::join(words, ", "))); !said)
      return tl::unexpected(said.error());
  }
}

}  // namespace fmd::cli
