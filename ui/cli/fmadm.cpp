// fmadm: shows problems, and what an administrator can do about them.
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/cli/arguments.h"
#include "ui/cli/chassis_commands.h"
#include "ui/cli/commands.h"
#include "ui/cli/metrics_commands.h"
#include "ui/cli/notify_commands.h"
#include "ui/cli/program.h"
#include "ui/cli/record.h"
#include "ui/cli/rules_commands.h"
#include "ui/cli/smart_commands.h"
#include "ui/cli/status.h"
#include "ui/cli/time_arg.h"
#include "ui/client/paths.h"

namespace fmd::cli {
namespace {

constexpr int64_t kReadingsNs = 7 * 86400LL * 1000000000;  // if no period is given

void then_status(Program& program) {
  program.error_status = 3;  // unknown, if fmd does not answer
  program.then(program.with_client(
      [&program](Client& client) { return status(client, program.json, &program.exit_status); }));
}

void add_status(Program& program) {
  auto* sub =
      program.app.add_subcommand("status", "Show problems, pools and what fmd watches (default)");
  sub->callback([&program] { then_status(program); });
}

void add_faulty(Program& program) {
  static FaultyOptions options;
  static std::vector<std::string> words;  // a label with blanks may come as several words
  auto* sub = program.app.add_subcommand("faulty", "List open cases and what to do about them");
  sub->add_flag("-a,--all", options.all, "Also list resolved and suspected cases");
  auto* by_fru = sub->add_flag("-f,--fru", options.by_fru, "Group by the part to replace");
  auto* by_resource =
      sub->add_flag("-r,--resource", options.by_resource, "Group by the affected resource");
  auto* summary = sub->add_flag("-s,--summary", options.summary, "Print part and title only");
  by_fru->excludes(by_resource)->excludes(summary);
  by_resource->excludes(summary);
  sub->add_flag("--fma", options.fma, "Print cases as Solaris' fmadm does");
  sub->add_option("PART", words, "Case id, or a part: FMRI, bay, serial, device, pool");
  sub->add_option("-u,--uuid", options.uuid, "Only this case (the first characters of its id do)")
      ->type_name("UUID");
  sub->add_flag("-v,--verbose", options.verbose, "Also print evidence and timeline");
  sub->add_option("-n,--max", options.max, "Only the newest N cases")
      ->type_name("N")
      ->check(at_least_one());
  sub->callback([&program] {
    program.then_paged(program.with_client([&program](Client& client) {
      options.json = program.json;
      options.part = joined(words);
      return faulty(client, options);
    }));
  });
}

void add_why(Program& program) {
  static std::vector<std::string> what;
  auto* sub = program.app.add_subcommand("why", "Explain the diagnosis of a case or part");
  sub->add_option("CASE|PART", what, "A case id or a part (default: all that is wrong)");
  sub->callback([&program] {
    program.then_paged(program.with_client(
        [&program](Client& client) { return why(client, joined(what), program.json); }));
  });
}

void add_judge(Program& program, const std::string& name, const std::string& verdict,
               const std::string& text) {
  auto* sub = program.app.add_subcommand(name, text);
  auto options = std::make_shared<JudgeOptions>();
  options->verdict = verdict;
  sub->add_option("PART|UUID", options->what,
                  "FMRI, bay, SHELF/BAY, serial or device; or a case id")
      ->required();
  if (verdict == "replaced")
    sub->add_flag("--force", options->force, "Report it even if that part is still there");
  sub->callback([&program, options] {
    program.then(program.with_client([&program, options](Client& client) {
      options->json = program.json;
      return judge(client, *options);
    }));
  });
}

void add_acknowledge(Program& program) {
  static std::string uuid;
  static std::vector<std::string> words;  // a comment may come as several words
  auto* sub = program.app.add_subcommand("ack", "Acknowledge a case: no messages unless it grows");
  sub->add_option("UUID", uuid, "The case id, or its first characters")->required();
  sub->add_option("COMMENT", words, "Text for the case's timeline");
  sub->callback([&program] {
    program.then_in_words(program.with_client(
        [](Client& client) { return acknowledge(client, uuid, joined(words)); }));
  });
}

void add_locate(Program& program) {
  static std::string state;
  static std::vector<std::string> words;  // a label with blanks may come as several words
  static int wait_s = 10;
  auto* sub = program.app.add_subcommand("locate", "Switch the locate LED of a bay or the machine");
  sub->add_option("on|off", state, "Switch it on or off")->required();
  sub->add_option("PART", words, "FMRI, bay label, SHELF/BAY, serial or device")->required();
  sub->add_option("--wait", wait_s, "Wait this long for the LED to confirm (10)")
      ->type_name("SECONDS")
      ->check(between(0, 300));
  sub->callback([&program] {
    const auto is_state = [](const std::string& word) { return word == "on" || word == "off"; };
    // The state may come first or last: a bay may be labelled "on".
    if (!is_state(state)) {
      words.insert(words.begin(), state);
      state = words.back();
      words.pop_back();
    }
    if (!is_state(state)) throw CLI::ValidationError("say on or off, and a part");
    program.then(program.with_client([&program](Client& client) {
      return locate(client, joined(words), state == "on", wait_s * 1000, program.json);
    }));
  });
}

void add_order(Program& program, CLI::App* sub, OrderOptions::What what) {
  static OrderOptions options;
  static bool degraded = false;
  const bool two = what == OrderOptions::What::replace;
  sub->add_option("PART", options.words,
                  two ? "The part to replace, then its new disk"
                      : "FMRI, bay label, SHELF/BAY, serial or device")
      ->required()
      ->expected(two ? 2 : 1, 64);
  if (what == OrderOptions::What::retire)
    sub->add_flag("--degraded", degraded, "Only mark it degraded: it stays in use");
  if (what == OrderOptions::What::replace) {
    sub->add_flag("--force", options.force, "Use a disk that is not blank or does not fit");
  }
  sub->callback([&program, what] {
    options.what = what;
    if (what == OrderOptions::What::retire)
      options.level = degraded ? "degraded" : "out-of-service";
    options.json = program.json;
    program.then(program.with_client([](Client& client) { return order(client, options); }));
  });
}

void add_orders(Program& program) {
  using What = OrderOptions::What;
  auto& app = program.app;
  add_order(program, app.add_subcommand("retire", "Take a part out of service"), What::retire);
  add_order(program,
            app.add_subcommand("restore", "Put a part back into service and keep it there"),
            What::restore);
  add_order(program, app.add_subcommand("replace", "Replace a part by a disk in another bay"),
            What::replace);
}

void add_actions(Program& program) {
  auto* sub = program.app.add_subcommand("actions", "List what fmd did and how to undo it");
  sub->callback([&program] {
    program.then_paged(
        program.with_client([&program](Client& client) { return actions(client, program.json); }));
  });
}

void add_history(Program& program) {
  static std::vector<std::string> words;
  auto* sub = program.app.add_subcommand("history", "List which disk was in which bay, and when");
  sub->add_option("PART", words, "Bay or disk: FMRI, bay label, serial or device");
  sub->callback([&program] {
    program.then_paged(program.with_client(
        [&program](Client& client) { return history(client, joined(words), program.json); }));
  });
}

void add_readings(Program& program) {
  static ReadingsOptions options;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t now_ns = static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
  options.from_ns = now_ns - kReadingsNs;
  auto* sub =
      program.app.add_subcommand("readings", "Show measurements: temperature, wear, errors");
  sub->add_option("PART", options.part, "FMRI, bay label, serial or device")->required();
  sub->add_option("NAME", options.names, "temperature_celsius, \"smart.*\"; one name: over time");
  const auto add_time = [&](const char* names, const char* text, std::optional<int64_t>& time) {
    const auto set = [&time, now_ns](const std::string& given) {
      const auto parsed = parse_time(given, now_ns);
      if (!parsed) throw CLI::ValidationError(parsed.error().text());
      time = *parsed;
    };
    sub->add_option_function<std::string>(names, set, text)->type_name("TIME");
  };
  add_time("-t,--since", "Start: 2026-11-21, 14:30, 30d (7d)", options.from_ns);
  add_time("-T,--until", "End, in the same form", options.to_ns);
  sub->add_option("-n,--max", options.points, "Print at most N rows over time (20)")
      ->type_name("N")
      ->check(between(1, 10000));
  sub->callback([&program] {
    program.then_paged(program.with_client([&program](Client& client) {
      options.json = program.json;
      return readings(client, options);
    }));
  });
}

void add_settings(Program& program) {
  static ConfigOptions config_options;
  auto* settings = program.app.add_subcommand("config", "Show plugins and settings in force");
  settings->add_flag("--store", config_options.store,
                     "Show the store: sizes, retention, compression");
  settings->require_subcommand(0, 1);
  static ConfigCheckOptions check_options{FMD_SYSCONF_DIR, FMD_LIBEXEC_DIR};
  auto* check = settings->add_subcommand("check", "Check fmd's and each plugin's file");
  check->add_option("--config", check_options.folder, "Folder of the files")->type_name("DIR");
  check->add_option("--programs", check_options.programs, "Folder of the programs")
      ->type_name("DIR");
  check->callback([&program] {
    check_options.json = program.json;
    program.then([] { return config_check(check_options); });
  });
  settings->callback([&program, check] {
    if (check->parsed()) return;
    config_options.json = program.json;
    program.then_paged(
        program.with_client([](Client& client) { return config(client, config_options); }));
  });
  static std::string state;
  auto* dry = program.app.add_subcommand("dry-run", "Announce actions without carrying them out");
  dry->add_option("on|off", state, "Switch it on or off (default: show)")
      ->check(quietly(CLI::IsMember({"on", "off"})));
  dry->callback([&program] {
    program.then_in_words(program.with_client([](Client& client) {
      return state.empty() ? show_dry_run(client) : dry_run(client, state == "on");
    }));
  });
  auto* again = program.app.add_subcommand("reload", "Read rules and configuration again");
  again->callback([&program] {
    program.then_in_words(program.with_client([](Client& c) { return reload(c); }));
  });
}

void add_ipmi(Program& program) {
  auto* sub = program.app.add_subcommand("ipmi", "Show the BMC's sensors and event log state");
  sub->callback([&program] {
    program.then_paged(
        program.with_client([&program](Client& client) { return ipmi(client, program.json); }));
  });
}

void add_resilver(Program& program) {
  static ResilverOptions options;
  auto* sub =
      program.app.add_subcommand("resilver", "Show resilvers and scrubs: progress, time left");
  sub->add_flag("-w,--wait", options.wait, "Follow the progress until it is finished");
  sub->callback([&program] {
    program.then(program.with_client([&program](Client& client) {
      options.json = program.json;
      return resilver(client, options);
    }));
  });
}

}  // namespace
}  // namespace fmd::cli

int main(int argc, char** argv) {
  using namespace fmd::cli;
  Program program("fmadm", "Show faults and act on them.",
                  "Exit status: 0 done, 1 error, 2 wrong usage. Of status: 0 all is well,\n"
                  "1 problems, 3 not everything is watched. See fmadm(8).");
  program.app.require_subcommand(0, 1);
  program.app.callback([&program] {
    if (program.app.get_subcommands().empty()) then_status(program);
  });
  add_status(program);
  add_faulty(program);
  add_why(program);
  add_explain(program);
  add_resilver(program);
  add_smart(program);
  add_ipmi(program);
  add_readings(program);
  add_history(program);
  add_actions(program);
  add_locate(program);
  add_acknowledge(program);
  add_judge(program, "repaired", "repaired", "Report that a part was repaired in place");
  add_judge(program, "replaced", "replaced", "Report that a part was replaced");
  add_judge(program, "acquit", "acquitted", "Report that a part is not at fault");
  add_orders(program);
  add_notify(program);
  add_settings(program);
  add_metrics(program);
  add_rules(program);
  add_chassis(program);
  add_record(program);
  add_replay(program);
  return program.run(argc, argv);
}
