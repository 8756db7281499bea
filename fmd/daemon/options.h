// The command line of fmd.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/daemon/config.h"

namespace fmd {

struct Options {
  std::string config_file;
  bool config_given = false;  // then it must exist
  bool check = false;
  std::vector<std::string> rules, events;  // replace the configured folders when given
  std::string socket, state_dir, bus;      // "" as configured
};

// Nothing: the command line is done (--help, --version, an error); exit with `code`.
std::optional<Options> parse_options(int argc, char** argv, int& code);
// The command line takes precedence over the file.
void apply_options(const Options& options, Config& config);

}  // namespace fmd
