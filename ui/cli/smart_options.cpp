// The options of fmadm smart.
#include "ui/cli/arguments.h"
#include "ui/cli/program.h"
#include "ui/cli/smart_commands.h"

namespace fmd::cli {
namespace {

void add_test(Program& program, CLI::App& smart) {
  static SelfTestOptions options;
  static std::vector<std::string> words;
  auto* test = smart.add_subcommand("test", "A self-test of a disk: short, long, or abort");
  test->add_option("short|long|abort", options.type, "abort ends the one under way")
      ->required()
      ->check(quietly(CLI::IsMember({"short", "long", "abort"})));
  test->add_option("PART", words, "FMRI, bay label, serial or device")->required();
  test->add_flag("-f,--force", options.force, "While its pool resilvers too");
  test->callback([&program] {
    options.json = program.json;
    options.part = joined(words);
    program.then(program.with_client([](Client& client) { return smart_test(client, options); }));
  });
}

}  // namespace

void add_smart(Program& program) {
  auto* smart = program.app.add_subcommand("smart", "What disks say of themselves; self-tests");
  smart->require_subcommand(1);
  static std::vector<std::string> parts;
  auto* show = smart->add_subcommand("show", "Health, temperature, wear as last heard");
  show->add_option("PART", parts, "FMRI, bay label, serial or device (default: all disks)");
  auto* refresh = smart->add_subcommand("refresh", "Ask disks now; none is spun up");
  refresh->add_option("PART", parts, "FMRI, bay label, serial or device")->required();
  for (auto [sub, run] : {std::pair{show, &smart_show}, {refresh, &smart_refresh}})
    sub->callback([&program, run = run] {
      program.then(program.with_client(
          [&program, run](Client& client) { return run(client, parts, program.json); }));
    });
  add_test(program, *smart);
}

}  // namespace fmd::cli
