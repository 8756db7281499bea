// Dialogue: questions to the user at the terminal, one line each. If it ends early (Ctrl-C, end of
// input, a lost terminal), the pending question returns an error. Single thread.
#pragma once
#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::cli {

// While an instance exists, signals that would end the program only set a flag, so that it can
// clean up first.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static int count();  // number of signals received

 private:
  static constexpr std::array<int, 5> kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// The error of a dialogue that was ended.
Error stopped_error();

// An answer without surrounding blanks. An Interrupts must exist.
Result<std::string> ask(const std::string& question);
// A number from 0 to most; Enter: usual. Repeats the question until the answer is valid.
Result<int> ask_number(const std::string& question, int usual, int most);
// One of the words, or a prefix of one; Enter: usual.
Result<std::string> ask_word(const std::string& question, const std::vector<std::string>& words,
                             const std::string& usual);

}  // namespace fmd::cli
