// fmadm: what is broken, and what an administrator does about it.
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

namespace fmd::cli {
namespace {

constexpr int64_t kReadingsNs = 7 * 86400LL * 1000000000;  // shown when no time is given

void then_status(Program& program) {
  program.error_status = 3;  // what does not answer is not known to be well
  program.then(program.with_client(
      [&program](Client& client) { return status(client, program.json, &program.exit_status); }));
}

void add_status(Program& program) {
  auto* sub = program.app.add_subcommand("status", "Whether fmd watches, and what is wrong");
  sub->callback([&program] { then_status(program); });
}

void add_faulty(Program& program) {
  static FaultyOptions options;
  auto* sub = program.app.add_subcommand("faulty", "What is broken now");
  sub->add_flag("-a,--all", options.all, "Resolved and undecided cases too");
  auto* by_fru = sub->add_flag("-f,--fru", options.by_fru, "By the part to be replaced");
  auto* by_resource =
      sub->add_flag("-r,--resource", options.by_resource, "By the resource affected");
  auto* summary = sub->add_flag("-s,--summary", options.summary, "In short: part and title");
  by_fru->excludes(by_resource)->excludes(summary);
  by_resource->excludes(summary);
  sub->add_option("-u,--uuid", options.uuid, "This case (the beginning of its id is enough)")
      ->type_name("UUID");
  sub->add_flag("-v,--verbose", options.verbose, "With evidence and timeline");
  sub->add_option("-n,--max", options.max, "The newest N cases only")
      ->type_name("N")
      ->check(at_least_one());
  sub->callback([&program] {
    program.then_paged(program.with_client([&program](Client& client) {
      options.json = program.json;
      return faulty(client, options);
    }));
  });
}

void add_why(Program& program) {
  static std::string uuid;
  auto* sub = program.app.add_subcommand("why", "Why this part is suspected, and not others");
  sub->add_option("UUID", uuid, "The case, or how its id begins")->required();
  sub->callback([&program] {
    program.then_paged(program.with_client(
        [&program](Client& client) { return why(client, uuid, program.json); }));
  });
}

void add_judge(Program& program, const std::string& name, const std::string& verdict,
               const std::string& text) {
  auto* sub = program.app.add_subcommand(name, text);
  auto options = std::make_shared<JudgeOptions>();
  options->verdict = verdict;
  sub->add_option("PART|UUID", options->what, "FMRI, bay, SHELF/BAY, serial or device; or a case")
      ->required();
  if (verdict == "replaced")
    sub->add_flag("--force", options->force, "Even if that part is still there");
  sub->callback([&program, options] {
    program.then(program.with_client([&program, options](Client& client) {
      options->json = program.json;
      return judge(client, *options);
    }));
  });
}

void add_acknowledge(Program& program) {
  static std::string uuid;
  static std::vector<std::string> words;  // a comment need not be quoted
  auto* sub = program.app.add_subcommand("ack", "Acknowledge: send no more unless it grows");
  sub->add_option("UUID", uuid, "The case, or how its id begins")->required();
  sub->add_option("COMMENT", words, "Kept on the case's timeline");
  sub->callback([&program] {
    program.then_in_words(program.with_client(
        [](Client& client) { return acknowledge(client, uuid, joined(words)); }));
  });
}

void add_locate(Program& program) {
  static std::string state;
  static std::vector<std::string> words;  // a label with blanks need not be quoted
  static int wait_s = 10;
  auto* sub =
      program.app.add_subcommand("locate", "Make a bay or the machine blink: locate on|off PART");
  sub->add_option("on|off", state, "Blink, or stop blinking")->required();
  sub->add_option("PART", words, "FMRI, bay label, SHELF/BAY, serial or device")->required();
  sub->add_option("--wait", wait_s, "Seconds to wait for the LED to obey (10)")
      ->type_name("SECONDS")
      ->check(between(0, 300));
  sub->callback([&program] {
    const auto is_state = [](const std::string& word) { return word == "on" || word == "off"; };
    // The state may stand on either side; a bay may be labelled "on".
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
                  two ? "The part, then the disk that takes its place"
                      : "FMRI, bay label, SHELF/BAY, serial or device")
      ->required()
      ->expected(two ? 2 : 1, 64);
  if (what == OrderOptions::What::retire)
    sub->add_flag("--degraded", degraded, "Mark it degraded only: it stays in use");
  if (what == OrderOptions::What::replace) {
    sub->add_flag("--force", options.force, "Even if it is not blank or does not fit");
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
  add_order(program, app.add_subcommand("retire", "Take a part out of service by hand"),
            What::retire);
  add_order(program, app.add_subcommand("restore", "Put a part back into service, and keep it"),
            What::restore);
  add_order(program, app.add_subcommand("replace", "Have a disk take a part's place: PART WITH"),
            What::replace);
}

void add_actions(Program& program) {
  auto* sub = program.app.add_subcommand("actions", "What fmd has done, and how to undo it");
  sub->callback([&program] {
    program.then_paged(
        program.with_client([&program](Client& client) { return actions(client, program.json); }));
  });
  add_orders(program);
}

void add_history(Program& program) {
  static std::vector<std::string> words;
  auto* sub = program.app.add_subcommand("history", "Which disk sat in which bay, and when");
  sub->add_option("PART", words, "A bay or a disk: FMRI, bay label, serial or device");
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
  auto* sub = program.app.add_subcommand("readings", "What a part measured: temperature, wear");
  sub->add_option("PART", options.part, "FMRI, bay label, serial or device")->required();
  sub->add_option("NAME", options.names, "temperature_celsius, \"smart.*\"; one: over time");
  const auto add_time = [&](const char* names, const char* text, std::optional<int64_t>& time) {
    const auto set = [&time, now_ns](const std::string& given) {
      const auto parsed = parse_time(given, now_ns);
      if (!parsed) throw CLI::ValidationError(parsed.error().text());
      time = *parsed;
    };
    sub->add_option_function<std::string>(names, set, text)->type_name("TIME");
  };
  add_time("-t,--since", "Not before: 2026-11-21, 14:30, 30d (7d)", options.from_ns);
  add_time("-T,--until", "Not after", options.to_ns);
  sub->add_option("-n,--max", options.points, "At most N rows over time (20)")
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
  auto* settings = program.app.add_subcommand("config", "Plugins, rules and settings in force");
  settings->callback([&program] {
    program.then_paged(
        program.with_client([&program](Client& client) { return config(client, program.json); }));
  });
  static std::string state;
  auto* dry = program.app.add_subcommand("dry-run", "Say what would be done, touch nothing");
  dry->add_option("on|off", state, "")->required()->check(quietly(CLI::IsMember({"on", "off"})));
  dry->callback([&program] {
    program.then_in_words(
        program.with_client([](Client& client) { return dry_run(client, state == "on"); }));
  });
  auto* again = program.app.add_subcommand("reload", "Read rules and configuration again");
  again->callback([&program] {
    program.then_in_words(program.with_client([](Client& c) { return reload(c); }));
  });
}

void add_ipmi(Program& program) {
  auto* sub = program.app.add_subcommand("ipmi", "What the BMC says, and how it is read");
  sub->callback([&program] {
    program.then_paged(
        program.with_client([&program](Client& client) { return ipmi(client, program.json); }));
  });
}

void add_resilver(Program& program) {
  static ResilverOptions options;
  auto* sub =
      program.app.add_subcommand("resilver", "Resilvers and scrubs: progress and time left");
  sub->add_flag("-w,--wait", options.wait, "Show the progress until it is finished");
  sub->callback([&program] {
    program.then(program.with_client([&program](Client& client) {
      options.json = program.json;
      return resilver(client, options);
    }));
  });
}

void add_rules(Program& program) {
  static RulesOptions options;
  auto* rules = program.app.add_subcommand("rules", "Show, check or test rules; needs no daemon");
  rules->require_subcommand(1);
  auto* check = rules->add_subcommand("check", "Every error in rule files, with file and line");
  auto* test = rules->add_subcommand("test", "Recorded telemetry must give the cases expected");
  auto* show =
      rules->add_subcommand("show", "A rule as it is in force, and where each value is from");
  show->add_option("NAME", options.name, "A rule or a fault; without one all rules are listed");
  show->add_option("--rules", options.paths, "Rules (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  auto* catalog =
      rules->add_subcommand("catalog", "What 'journalctl -x' says of each fault, for systemd");
  for (auto* sub : {check, catalog})
    sub->add_option("DIR|FILE", options.paths, "Default: the installed rules");
  test->add_option("DIR", options.paths, "Rules, with their tests in DIR/tests");
  test->add_option("--drive-stats", options.drive_stats,
                   "Judge the SMART rules on a fleet's history (CSV; - reads standard input)")
      ->type_name("FILE");
  for (auto [sub, command] : {std::pair{show, &rules_show},
                              {check, &rules_check},
                              {catalog, &rules_catalog},
                              {test, &rules_test}}) {
    sub->add_option("--events", options.events, "Event classes (default: installed ones)")
        ->type_name("DIR")
        ->allow_extra_args(false);  // one each time: what follows is a rule file
    sub->callback([&program, run = command] {
      const auto what = [&program, run] {
        options.json = program.json;
        return run(options);
      };
      run == &rules_catalog ? program.then_in_words(what) : program.then(what);
    });
  }
}

void add_replay(Program& program) {
  static ReplayOptions options;
  auto* sub = program.app.add_subcommand("replay", "Which cases recorded telemetry gives");
  sub->add_option("FILE", options.file, "Plugin messages, one a line (.jsonl)")->required();
  sub->add_option("--rules", options.rules, "Rules (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_option("--events", options.events, "Event classes (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_option("--run-out", options.run_out, "Let so much time pass at the end: 15s, 1h")
      ->type_name("TIME");
  sub->add_flag("-v,--verbose", options.verbose, "With evidence and timeline");
  sub->add_flag("--why", options.why, "The reasoning of each case, as 'fmadm why' prints it");
  sub->callback([&program] {
    program.then([&program] {
      options.json = program.json;
      return replay(options);
    });
  });
}

void add_chassis(Program& program) {
  auto* chassis = program.app.add_subcommand("chassis", "Descriptions of machines and shelves");
  chassis->require_subcommand(1);
  static ChassisCheckOptions check_options;
  auto* check = chassis->add_subcommand("check", "Every error in descriptions; needs no daemon");
  check->add_option("FILE|DIR", check_options.paths, "Default: the installed descriptions");
  check->callback([&program] {
    program.then([&program] {
      check_options.json = program.json;
      return chassis_check(check_options);
    });
  });
  static ChassisShowOptions show_options;
  auto* show = chassis->add_subcommand("show", "Which description each chassis has");
  show->add_flag("-v,--verbose", show_options.bays, "With each bay and other parts");
  show->callback([&program] {
    program.then(program.with_client([&program](Client& client) {
      show_options.json = program.json;
      return chassis_show(client, show_options);
    }));
  });
  static ChassisDrawOptions draw_options;
  auto* drawn = chassis->add_subcommand("draw", "A picture of it as it is now, SVG or PNG");
  drawn->add_option("FILE", draw_options.file, "By its name PNG or SVG (standard output)");
  drawn->add_option("-c,--chassis", draw_options.chassis, "Which one, when there are several")
      ->type_name("CHASSIS");
  drawn
      ->add_option("--view", draw_options.view, "Only one: front, rear, top, inside or parts (all)")
      ->type_name("VIEW");
  auto* svg = drawn->add_flag("--svg", draw_options.svg, "Whatever the file is called");
  drawn->add_flag("--png", draw_options.png, "Whatever the file is called")->excludes(svg);
  drawn->add_flag("--dark", draw_options.dark, "On a dark ground");
  drawn->add_flag("--domains", draw_options.domains, "With what fails together outlined");
  drawn->add_option("--scale", draw_options.scale, "Of a PNG: pixels a millimetre (4)")
      ->type_name("N")
      ->check(between(0.5, 40));
  drawn->callback([&program] {
    program.then(program.with_client([&program](Client& client) {
      draw_options.json = program.json;
      return chassis_draw(client, draw_options);
    }));
  });
  static ChassisMapOptions map_options;
  auto* map = chassis->add_subcommand("map", "Blink bay after bay, ask, write the description");
  map->add_option("-o,--output", map_options.output, "The new file (own-chassis.toml)")
      ->type_name("FILE");
  map->add_option("-c,--chassis", map_options.chassis, "Which one, when there are several")
      ->type_name("CHASSIS");
  map->add_option("--with", map_options.with, "This host, whose backplane it is (repeatable)")
      ->type_name("CHASSIS")
      ->allow_extra_args(false);
  map->add_option("--view", map_options.view, "Of all bays: front, rear, top or inside (asks)")
      ->type_name("VIEW")
      ->check(quietly(CLI::IsMember({"front", "rear", "top", "inside"})));
  map->callback([&program] {
    if (!map_options.with.empty() && !map_options.chassis.empty())
      throw CLI::ValidationError("--with", "excludes --chassis");
    program.then_in_words(
        program.with_client([](Client& c) { return chassis_map(c, map_options); }));
  });
}

}  // namespace
}  // namespace fmd::cli

int main(int argc, char** argv) {
  using namespace fmd::cli;
  Program program("fmadm", "Faults and what to do about them.",
                  "Examples:\n"
                  "  fmadm                          is all well? (fmadm status)\n"
                  "  fmadm faulty                   what is broken, and what to do\n"
                  "  fmadm locate on SLOT 06        make that bay blink\n"
                  "  fmadm resilver -w              watch a replacement finish\n"
                  "  fmadm repaired \"SLOT 06\"       it is repaired\n"
                  "  fmadm -H root@store1 faulty    ask another host\n"
                  "Exit status: 0 done, 1 error, 2 wrong usage; of status: 0 well, 1 problems,\n"
                  "3 blind. See fmadm(8).");
  program.app.require_subcommand(0, 1);
  program.app.callback([&program] {
    if (program.app.get_subcommands().empty()) then_status(program);
  });
  add_status(program);
  add_faulty(program);
  add_why(program);
  add_judge(program, "repaired", "repaired", "A part has been repaired in place");
  add_judge(program, "replaced", "replaced", "A part has been replaced");
  add_judge(program, "acquit", "acquitted", "A part is not at fault");
  add_acknowledge(program);
  add_locate(program);
  add_actions(program);
  add_resilver(program);
  add_history(program);
  add_smart(program);
  add_ipmi(program);
  add_readings(program);
  add_notify(program);
  add_metrics(program);
  add_settings(program);
  add_rules(program);
  add_record(program);
  add_replay(program);
  add_chassis(program);
  return program.run(argc, argv);
}
