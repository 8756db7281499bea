// Program: what the four command lines have in common: --bus, --host, --json, --version, exit codes
// and the way errors are said. Include it only where options are defined (it brings CLI11 in).
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// The check without its own words in --help: the option's text says it.
inline CLI::Validator quietly(CLI::Validator check) {
  check.description("");
  return check;
}

// A number from least to most; what is not one is said in words.
CLI::Validator between(double least, double most);
CLI::Validator at_least_one();

class Program {
 public:
  // text: the first line of --help. ending: its last lines, after the examples.
  Program(const std::string& name, const std::string& text, const std::string& ending);

  CLI::App app;
  bool json = false;
  int exit_status = 0;   // when done
  int error_status = 1;  // when it cannot be done

  // A callback for subcommands: connect, then do.
  std::function<Result<void>()> with_client(std::function<Result<void>(Client&)> what);
  // What to do once everything is parsed; the last one set is done.
  void then(std::function<Result<void>()> what) { what_ = std::move(what); }
  // The same of a command that has no document for programs, and says so when it is asked for one.
  void then_in_words(std::function<Result<void>()> what);
  // The same, and its output is for a pager where it is longer than the terminal.
  void then_paged(std::function<Result<void>()> what);
  // 0 done, 1 an error (said on standard error), 2 wrong usage.
  int run(int argc, char** argv);

 private:
  int perform();  // what is to be done; the exit status
  void settle_synonyms(std::vector<std::string>& words) const;
  // False: the first word that should be a command is none. Prints the nearest one and the list.
  bool knows_commands(const std::vector<std::string>& words) const;
  bool has_only_options(const std::vector<std::string>& words) const;  // or says which is none

  int wrong_usage(const CLI::ParseError& error) const;  // said; the exit status

  std::string name_, ending_;
  std::string colours_ = "auto";
  bool no_pager_ = false;
  Target target_;
  std::function<Result<void>()> what_;
};

}  // namespace fmd::cli
