// The options of fmadm smart.
#include <algorithm>

#include "ui/cli/program.h"
#include "ui/cli/smart_commands.h"

namespace fmd::cli {
namespace {

bool is_test(const std::string& word) {
  return word == "short" || word == "long" || word == "abort";
}

void add_test(Program& program, CLI::App& smart) {
  static SelfTestOptions options;
  static std::vector<std::string> words;
  auto* test = smart.add_subcommand("test", "Self-test of a disk: test short|long|abort PART");
  test->add_option("short|long|abort PART", words, "PART: FMRI, bay label, serial or device")
      ->required()
      ->expected(2);
  test->add_flag("-f,--force", options.force, "While its pool resilvers too");
  test->callback([&program] {
    // The kind may stand on either side; a bay may be labelled "short".
    const size_t kind = is_test(words[0]) ? 0 : 1;
    if (!is_test(words[kind]))
      throw CLI::ValidationError("test", "say short, long or abort, and a part");
    options.type = words[kind];
    options.part = words[1 - kind];
    options.json = program.json;
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
  auto* refresh = smart->add_subcommand("refresh", "Ask disks now; none is woken");
  refresh->add_option("PART", parts, "FMRI, bay label, serial or device")->required();
  for (auto [sub, run] : {std::pair{show, &smart_show}, {refresh, &smart_refresh}})
    sub->callback([&program, run = run] {
      program.then(program.with_client(
          [&program, run](Client& client) { return run(client, parts, program.json); }));
    });
  add_test(program, *smart);
}

}  // namespace fmd::cli
