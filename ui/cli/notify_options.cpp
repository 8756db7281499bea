// The options of fmadm notify and fmadm maintenance.
#include <ctime>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "ui/cli/notify_commands.h"
#include "ui/cli/program.h"
#include "ui/cli/time_arg.h"

namespace fmd::cli {
namespace {

int64_t wall_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * kSecondNs + now.tv_nsec;
}

// Like parse_time, but "06:00" is in the future.
int64_t time_to_come(const std::string& text, int64_t now_ns) {
  const auto time = parse_time(text, now_ns);
  if (!time) throw CLI::ValidationError(time.error().text());
  const bool of_the_day = text.find('-') == text.npos && text.find(':') != text.npos;
  return of_the_day && *time <= now_ns ? *time + 86400 * kSecondNs : *time;
}

void add_maintenance_add(Program& program, CLI::App& maintenance) {
  static MaintenanceOptions options;
  static const int64_t now_ns = wall_now_ns();
  auto* add = maintenance.add_subcommand("add", "Hold messages about PART (default: the host)");
  add->add_option("PART", options.part, "FMRI, bay label, serial, device, pool or chassis");
  auto* length = add->add_option_function<std::string>(
      "--for",
      [](const std::string& text) {
        const auto ns = parse_duration(text);
        if (!ns) throw CLI::ValidationError(ns.error().text());
        options.for_ns = *ns;
      },
      "Duration: 30min, 4h");
  length->type_name("TIME");
  add->add_option_function<std::string>(
         "--until", [](const std::string& text) { options.until_ns = time_to_come(text, now_ns); },
         "End: 18:00, 2026-11-23 06:00")
      ->type_name("TIME")
      ->excludes(length);
  add->add_option_function<std::string>(
         "--from", [](const std::string& text) { options.from_ns = time_to_come(text, now_ns); },
         "Start: 18:00, 2026-11-23 06:00 (now)")
      ->type_name("TIME");
  add->add_option("--reason", options.reason, "Why: shown wherever the window is")
      ->type_name("TEXT")
      ->required();
  add->callback([&program] {
    if (!options.for_ns && !options.until_ns)
      throw CLI::ValidationError("it needs an end: --for or --until");
    program.then(program.with_client([&program](Client& client) {
      return maintenance_add(client, options, now_ns, program.json);
    }));
  });
}

void add_maintenance(Program& program) {
  auto* maintenance =
      program.app.add_subcommand("maintenance", "Hold messages while a part is being serviced");
  maintenance->require_subcommand(0, 1);
  add_maintenance_add(program, *maintenance);
  auto* list = maintenance->add_subcommand("list", "List current and future windows (default)");
  const auto run_list = [&program] {
    program.then(program.with_client(
        [&program](Client& client) { return maintenance_list(client, program.json); }));
  };
  list->callback(run_list);
  maintenance->callback([maintenance, run_list] {
    if (maintenance->get_subcommands().empty()) run_list();
  });
  static std::string id;
  auto* end = maintenance->add_subcommand("end", "End a window and send what waited");
  end->add_option("ID", id, "The id that list shows")->required();
  end->callback([&program] {
    program.then_in_words(
        program.with_client([](Client& client) { return maintenance_end(client, id); }));
  });
}

}  // namespace

void add_notify(Program& program) {
  auto* notify = program.app.add_subcommand("notify", "Show and test who gets which messages");
  notify->require_subcommand(0, 1);
  notify->callback([&program, notify] {
    if (!notify->get_subcommands().empty()) return;
    program.then(program.with_client(
        [&program](Client& client) { return notify_list(client, program.json); }));
  });
  auto* list = notify->add_subcommand("list", "List the rules and reminders in force (default)");
  list->callback([&program] {
    program.then(program.with_client(
        [&program](Client& client) { return notify_list(client, program.json); }));
  });
  static std::string channel, uuid;
  auto* test = notify->add_subcommand("test", "Send a test through all channels, or one");
  test->add_option("CHANNEL", channel, "mail, snmp, ...");
  test->callback([&program] {
    program.then(program.with_client(
        [&program](Client& client) { return notify_test(client, channel, program.json); }));
  });
  auto* events = notify->add_subcommand("events", "List events that are not cases");
  events->callback([&program] {
    program.then(program.with_client(
        [&program](Client& client) { return notify_events(client, program.json); }));
  });
  auto* explain =
      notify->add_subcommand("explain", "Show who got messages about a case, or why not");
  explain->add_option("UUID", uuid, "Id of the case or event, or a message's key")->required();
  explain->callback([&program] {
    program.then(program.with_client(
        [&program](Client& client) { return notify_explain(client, uuid, program.json); }));
  });
  add_maintenance(program);
}

}  // namespace fmd::cli
