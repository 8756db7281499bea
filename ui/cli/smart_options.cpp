// The options of fmadm smart.
#include "ui/cli/arguments.h"
#include "ui/cli/program.h"
#include "ui/cli/smart_commands.h"

namespace fmd::cli {
namespace {

void add_test(Program& program, CLI::App& smart) {
  static SelfTestOptions options;
  static std::vector<std::string> words;
  auto* test = smart.add_subcommand("test", "Start or abort a disk's self-test");
  test->add_option("short|long|abort", options.type, "Which test; abort ends the running one")
      ->required()
      ->check(quietly(CLI::IsMember({"short", "long", "abort"})));
  test->add_option("PART", words, "FMRI, bay label, serial or device")->required();
  test->add_flag("-f,--force", options.force, "Start it even while its pool resilvers");
  test->callback([&program] {
    options.json = program.json;
    options.part = joined(words);
    program.then(program.with_client([](Client& client) { return smart_test(client, options); }));
  });
}

}  // namespace

void add_smart(Program& program) {
  auto* smart = program.app.add_subcommand("smart", "Show, refresh or test SMART health of disks");
  smart->require_subcommand(0, 1);
  static std::vector<std::string> parts;
  auto* show = smart->add_subcommand("show", "Show health, temperature and wear (default)");
  show->add_option("PART", parts, "FMRI, bay label, serial or device (default: all disks)");
  auto* refresh = smart->add_subcommand("refresh", "Query disks now, without spinning one up");
  refresh->add_option("PART", parts, "FMRI, bay label, serial or device (default: all disks)");
  for (auto [sub, run] : {std::pair{show, &smart_show}, {refresh, &smart_refresh}})
    sub->callback([&program, run = run] {
      program.then(program.with_client(
          [&program, run](Client& client) { return run(client, parts, program.json); }));
    });
  smart->callback([&program, smart] {
    if (!smart->get_subcommands().empty()) return;
    program.then(program.with_client(
        [&program](Client& client) { return smart_show(client, parts, program.json); }));
  });
  add_test(program, *smart);
}

}  // namespace fmd::cli
