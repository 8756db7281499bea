// The options of fmadm rules and fmadm replay.
#include <string>
#include <utility>

#include "ui/cli/program.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {

void add_rules(Program& program) {
  static RulesOptions options;
  auto* rules = program.app.add_subcommand("rules", "Show, check or test diagnosis rules");
  rules->require_subcommand(1);
  auto* check = rules->add_subcommand("check", "List every error in rule files");
  auto* upgrade =
      rules->add_subcommand("upgrade", "Remove keys of earlier releases from rule files");
  upgrade->add_flag("-n,--dry-run", options.dry_run, "Show what would be removed");
  auto* test = rules->add_subcommand("test", "Run the recorded tests of rules");
  auto* show = rules->add_subcommand("show", "Show rules in force and where values come from");
  show->add_option("NAME", options.name, "A rule or a fault class (default: list all rules)");
  show->add_option("--rules", options.paths,
                   "Folder of rules, repeatable (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  auto* catalog = rules->add_subcommand("catalog", "Print a message catalog for journalctl -x");
  for (auto* sub : {check, upgrade, catalog})
    sub->add_option("DIR|FILE", options.paths, "Default: the installed rules");
  test->add_option("DIR", options.paths, "Folders of rules, with tests in DIR/tests");
  test->add_option("--drive-stats", options.drive_stats,
                   "Judge SMART rules on a fleet's history (CSV; -: stdin)")
      ->type_name("FILE");
  for (auto [sub, command] : {std::pair{show, &rules_show},
                              {check, &rules_check},
                              {upgrade, &rules_upgrade},
                              {catalog, &rules_catalog},
                              {test, &rules_test}}) {
    sub->add_option("--events", options.events, "Folder of event classes (default: installed ones)")
        ->type_name("DIR")
        ->allow_extra_args(false);  // one value per option; the next word is a rule file
    sub->callback([&program, run = command] {
      const auto what = [&program, run] {
        options.json = program.json;
        return run(options);
      };
      run == &rules_catalog ? program.then_in_words(what) : program.then(what);
    });
  }
}

void add_explain(Program& program) {
  static ExplainOptions options;
  auto* sub = program.app.add_subcommand("explain", "Explain a message id or fault class");
  sub->add_option("ID", options.ids, "Message id or class: fault.io.disk.* (lists all)");
  sub->add_option("--rules", options.rules, "Folder of rules, repeatable (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_option("--events", options.events, "Folder of event classes (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_option("--pages", options.pages, "Write a page per message to this folder")
      ->type_name("DIR");
  sub->callback([&program] {
    program.then_paged([&program] {
      options.json = program.json;
      return explain(options);
    });
  });
}

void add_replay(Program& program) {
  static ReplayOptions options;
  auto* sub = program.app.add_subcommand("replay", "Run recorded telemetry through the rules");
  sub->add_option("FILE", options.file, "Plugin messages, one per line (.jsonl)")->required();
  sub->add_option("--rules", options.rules, "Folder of rules, repeatable (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_option("--events", options.events, "Folder of event classes (default: installed ones)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  sub->add_option("--run-out", options.run_out, "Let this much time pass at the end: 15s, 1h")
      ->type_name("TIME");
  sub->add_flag("-v,--verbose", options.verbose, "Also print evidence and timeline");
  sub->add_flag("--why", options.why, "Print the reasoning of each case, as fmadm why");
  sub->callback([&program] {
    program.then([&program] {
      options.json = program.json;
      return replay(options);
    });
  });
}

}  // namespace fmd::cli
