// Program: what the four command lines have in common: --bus, --host, --json, --version, exit codes
// and the way errors are said. Include it only where options are defined (it brings CLI11 in).
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// The check without its own words in --help: the option's text says it.
inline CLI::Validator quietly(CLI::Validator check) {
  check.description("");
  return check;
}

class Program {
 public:
  // text: what --help says first. examples: what it says last.
  Program(const std::string& name, const std::string& text, const std::string& examples);

  CLI::App app;
  bool json = false;
  int exit_status = 0;   // when done
  int error_status = 1;  // when it cannot be done

  // A callback for subcommands: connect, then do.
  std::function<Result<void>()> with_client(std::function<Result<void>(Client&)> what);
  // What to do once everything is parsed; the last one set is done.
  void then(std::function<Result<void>()> what) { what_ = std::move(what); }
  // 0 done, 1 an error (said on standard error), 2 wrong usage.
  int run(int argc, char** argv);

 private:
  std::string name_;
  Target target_;
  std::function<Result<void>()> what_;
};

}  // namespace fmd::cli
