// fmstat: the state of the plugins and of the SERD engines.
#include "ui/cli/program.h"
#include "ui/cli/statistics.h"

int main(int argc, char** argv) {
  using namespace fmd::cli;
  Program program("fmstat", "Show counters of fmd's plugins, or its SERD engines (-s).",
                  "Exit status: 0 done, 1 error, 2 wrong usage. See fmstat(8).");
  StatOptions options;
  program.app.add_flag("-s,--serd", options.serd, "Show SERD engines: what is being counted");
  program.app.add_option("INTERVAL", options.interval_s, "Repeat every so many seconds")
      ->type_name("SECONDS")
      ->check(between(1, 86400));
  program.app.add_option("COUNT", options.count, "Stop after so many times")
      ->type_name("N")
      ->check(at_least_one());
  program.app.callback([&] {
    options.json = program.json;
    program.then(program.with_client([&](Client& client) { return statistics(client, options); }));
  });
  return program.run(argc, argv);
}
