// The options of fmadm chassis.
#include <string>

#include "ui/cli/chassis_commands.h"
#include "ui/cli/program.h"

namespace fmd::cli {

namespace {

void add_submit(Program& program, CLI::App& chassis) {
  static ChassisSubmitOptions options;
  auto* submit =
      chassis.add_subcommand("submit", "Write a masked file to send to fmd's developers");
  submit->add_option("-o,--output", options.output, "Write to this file (chassis-submission.json)")
      ->type_name("FILE");
  submit->add_option("-c,--chassis", options.chassis, "Choose one of several")
      ->type_name("CHASSIS");
  submit->callback([&program] {
    program.then_in_words(
        program.with_client([](Client& c) { return chassis_submit(c, options); }));
  });
}

}  // namespace

void add_chassis(Program& program) {
  auto* chassis =
      program.app.add_subcommand("chassis", "Show, draw, check or map machines and shelves");
  chassis->require_subcommand(0, 1);
  static ChassisCheckOptions check_options;
  auto* check = chassis->add_subcommand("check", "List every error in chassis descriptions");
  check->add_option("FILE|DIR", check_options.paths, "Default: the installed descriptions");
  check->callback([&program] {
    program.then([&program] {
      check_options.json = program.json;
      return chassis_check(check_options);
    });
  });
  static ChassisShowOptions show_options;
  auto* show = chassis->add_subcommand("show", "List each chassis and its description (default)");
  show->add_flag("-v,--verbose", show_options.bays, "Also list each bay and other part");
  const auto run_show = [&program] {
    program.then(program.with_client([&program](Client& client) {
      show_options.json = program.json;
      return chassis_show(client, show_options);
    }));
  };
  show->callback(run_show);
  chassis->callback([chassis, run_show] {
    if (chassis->get_subcommands().empty()) run_show();
  });
  static ChassisDrawOptions draw_options;
  auto* drawn = chassis->add_subcommand("draw", "Draw a chassis as it is now, as SVG or PNG");
  drawn->add_option("FILE", draw_options.file, "Format by its name (default: standard output)");
  drawn->add_option("-c,--chassis", draw_options.chassis, "Choose one of several")
      ->type_name("CHASSIS");
  drawn->add_option("--view", draw_options.view, "Draw front, rear, top, inside or parts (all)")
      ->type_name("VIEW");
  auto* svg = drawn->add_flag("--svg", draw_options.svg, "Draw SVG, whatever the file's name");
  drawn->add_flag("--png", draw_options.png, "Draw PNG, whatever the file's name")->excludes(svg);
  drawn->add_flag("--dark", draw_options.dark, "Use a dark background");
  drawn->add_flag("--domains", draw_options.domains, "Outline bays that fail together");
  drawn->add_option("--scale", draw_options.scale, "Pixels per millimetre of a PNG (4)")
      ->type_name("N")
      ->check(between(0.5, 40));
  drawn->callback([&program] {
    program.then(program.with_client([&program](Client& client) {
      draw_options.json = program.json;
      return chassis_draw(client, draw_options);
    }));
  });
  add_submit(program, *chassis);
  static ChassisMapOptions map_options;
  auto* map = chassis->add_subcommand("map", "Blink bay after bay and write a description");
  map->add_option("-o,--output", map_options.output, "Write to this file (own-chassis.toml)")
      ->type_name("FILE");
  map->add_option("-c,--chassis", map_options.chassis, "Choose one of several")
      ->type_name("CHASSIS");
  map->add_option("--with", map_options.with, "Use it as this host's backplane (repeatable)")
      ->type_name("CHASSIS")
      ->allow_extra_args(false);
  map->add_option("--view", map_options.view, "Side of all bays: front, rear, top, inside (asks)")
      ->type_name("VIEW")
      ->check(quietly(CLI::IsMember({"front", "rear", "top", "inside"})));
  map->callback([&program] {
    if (!map_options.with.empty() && !map_options.chassis.empty())
      throw CLI::ValidationError("--with", "excludes --chassis");
    program.then_in_words(
        program.with_client([](Client& c) { return chassis_map(c, map_options); }));
  });
}

}  // namespace fmd::cli
