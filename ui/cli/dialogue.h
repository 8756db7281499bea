// Dialogue: questions to the person at the terminal, a line each. What ends it early (Ctrl-C, the
// end of input, a terminal that is gone) is an error of the question that waits. Single thread.
#pragma once
#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::cli {

// While one stands, signals that would end the program only set a mark, so that what was begun can
// be put in order first.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static int count();  // how many came

 private:
  static constexpr std::array<int, 5> kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// The error when a dialogue was ended.
Error stopped_error();

// An answer without the blanks around it. Interrupts must stand.
Result<std::string> ask(const std::string& question);
// From 0 to most; Enter: usual. Asked again until it is one.
Result<int> ask_number(const std::string& question, int usual, int most);
// One of the words, or its beginning; Enter: usual.
Result<std::string> ask_word(const std::string& question, const std::vector<std::string>& words,
                             const std::string& usual);

}  // namespace fmd::cli
