// fmdump: the fault log and the error log.
#include <chrono>

#include "ui/cli/arguments.h"
#include "ui/cli/event_log.h"
#include "ui/cli/program.h"
#include "ui/cli/time_arg.h"

namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A -t or -T option; an unreadable time is wrong usage.
void add_time(CLI::App& app, const char* names, const char* text, std::optional<int64_t>& time) {
  app.add_option_function<std::string>(
         names,
         [&time](const std::string& given) {
           const auto parsed = fmd::cli::parse_time(given, now_ns());
           if (!parsed) throw CLI::ValidationError(parsed.error().text());
           time = *parsed;
         },
         text)
      ->type_name("TIME");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fmd::cli;
  Program program("fmdump", "Print the log of diagnoses, or of reported events (-e), oldest first.",
                  "TIME: 2026-11-21, \"2026-11-21 14:30\", 14:30, \"10min ago\", today.\n"
                  "Exit status: 0 done, 1 error, 2 wrong usage. See fmdump(8).");
  DumpOptions options;
  bool verbose = false, all_members = false;
  CLI::App& app = program.app;
  CLI::Option* errors =
      app.add_flag("-e,--errors", options.errors, "Print the error log: events as reported");
  app.add_flag("-f,--follow", options.follow, "Keep printing new entries");
  app.add_flag("-v,--verbose", verbose, "Also print suspects, or an event's resource and source");
  app.add_flag("-V,--members", all_members, "Print everything: all texts, all members");
  app.add_option("-c,--class", options.class_glob, "Only this class; a trailing * matches the rest")
      ->type_name("CLASS");
  app.add_option("-r,--resource", options.resource, "With -e: only events of exactly this FMRI")
      ->type_name("FMRI")
      ->needs(errors);
  add_time(app, "-t,--since", "Start", options.from_ns);
  add_time(app, "-T,--until", "End", options.to_ns);
  app.add_option("-u,--uuid", options.uuid, "Only this case; with -e its evidence")
      ->type_name("UUID");
  app.add_option("-n,--max", options.max, "Only the newest N")
      ->type_name("N")
      ->check(at_least_one());
  app.callback([&] {
    options.verbosity = all_members ? 2 : verbose ? 1 : 0;
    options.json = program.json;
    const auto dump = program.with_client([&](Client& client) -> fmd::Result<void> {
      if (!options.uuid.empty()) {
        auto id = case_id(client, options.uuid);
        if (!id) return tl::unexpected(id.error());
        options.uuid = std::move(*id);
      }
      return options.errors ? dump_events(client, options) : dump_cases(client, options);
    });
    if (options.follow)
      program.then(dump);
    else
      program.then_paged(dump);
  });
  return program.run(argc, argv);
}
