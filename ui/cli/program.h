// Program: shared by the four command lines: --bus, --host, --json, --version, exit codes and error
// output. Include it only where options are defined (it includes CLI11).
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// The check without its own description in --help: the option's text has it.
inline CLI::Validator quietly(CLI::Validator check) {
  check.description("");
  return check;
}

// A number from least to most, with an error in words.
CLI::Validator between(double least, double most);
CLI::Validator at_least_one();

class Program {
 public:
  // text: the first line of --help. ending: its last lines, after the examples.
  Program(const std::string& name, const std::string& text, const std::string& ending);

  CLI::App app;
  bool json = false;
  int exit_status = 0;   // on success
  int error_status = 1;  // on failure

  // A callback for subcommands: connects, then calls what.
  std::function<Result<void>()> with_client(std::function<Result<void>(Client&)> what);
  // Sets what to do once everything is parsed; the last call wins.
  void then(std::function<Result<void>()> what) { what_ = std::move(what); }
  // The same for a command without JSON output, which refuses --json.
  void then_in_words(std::function<Result<void>()> what);
  // The same, with a pager if the output is longer than the terminal.
  void then_paged(std::function<Result<void>()> what);
  // 0 success, 1 an error (printed to standard error), 2 wrong usage.
  int run(int argc, char** argv);

 private:
  int perform();  // runs the command; the exit status
  void settle_synonyms(std::vector<std::string>& words) const;
  // False: the first word is not a known command. Prints the nearest one and the list.
  bool knows_commands(const std::vector<std::string>& words) const;
  bool has_only_options(const std::vector<std::string>& words) const;  // or prints the unknown one

  int wrong_usage(const CLI::ParseError& error) const;  // prints it; the exit status

  std::string name_, ending_;
  std::string colours_ = "auto";
  bool no_pager_ = false;
  Target target_;
  std::function<Result<void>()> what_;
};

}  // namespace fmd::cli
