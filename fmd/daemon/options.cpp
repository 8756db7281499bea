#include "fmd/daemon/options.h"

#include <CLI/CLI.hpp>

#include "fmd/base/build_paths.h"

namespace fmd {

std::optional<Options> parse_options(int argc, char** argv, int& code) {
  Options options;
  options.config_file = FMD_SYSCONF_DIR "/fmd.toml";
  CLI::App app(
      "fmd, the fault management daemon: takes in error telemetry, finds out which part is broken, "
      "takes it out of service, and tells people.");
  app.footer("Signals: HUP reads rules and configuration again, TERM stops. See also fmadm(8).");
  auto* config = app.add_option(
      "-c,--config", options.config_file,
      "configuration file; without it and without " + options.config_file + ", built-in defaults");
  config->type_name("FILE");
  app.add_option("--rules", options.rules,
                 "folder of diagnosis rules (repeatable; a later one goes first)")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--events", options.events, "folder of event class declarations (repeatable)")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--socket", options.socket, "where plugins connect")->type_name("PATH");
  app.add_option("--state-dir", options.state_dir, "where the journal and the cases are kept")
      ->type_name("DIR");
  app.add_option("--bus", options.bus, "system, session, none, or a D-Bus address")
      ->type_name("BUS");
  app.add_flag("--check", options.check,
               "check configuration, event classes and rules, list every error, and exit");
  app.set_version_flag("-V,--version", std::string("fmd ") + FMD_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? 0 : 64;  // EX_USAGE
    return {};
  }
  options.config_given = config->count() > 0;
  return options;
}

void apply_options(const Options& options, Config& config) {
  if (!options.rules.empty()) config.rules = options.rules;
  if (!options.events.empty()) config.events = options.events;
  if (!options.socket.empty()) config.socket = options.socket;
  if (!options.state_dir.empty()) config.state_dir = options.state_dir;
  if (!options.bus.empty()) config.bus = options.bus;
}

}  // namespace fmd
