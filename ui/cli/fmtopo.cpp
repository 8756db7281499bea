// fmtopo: the parts of the machine, as reported by the plugins.
#include "ui/cli/arguments.h"
#include "ui/cli/program.h"
#include "ui/cli/topology.h"

int main(int argc, char** argv) {
  using namespace fmd::cli;
  Program program("fmtopo", "Show the machine's parts, where they are and how they are connected.",
                  "Exit status: 0 done, 1 error, 2 wrong usage. See fmtopo(8).");
  TopoOptions options;
  std::vector<std::string> words;  // a label with blanks may come as several words
  program.app.add_option("PART", words, "Show this part and those below it");
  program.app.add_flag("-V,--properties", options.properties, "Also print all properties");
  auto* why =
      program.app.add_flag("--why", options.why, "Show what PART depends on: path, power, cooling");
  program.app.add_flag("--graph", options.graph, "Print a graph for Graphviz (dot)")->excludes(why);
  program.app.add_flag("-a,--all", options.all, "Also show cores, threads, SAS phys and bridges");
  program.app
      .add_option("-s,--scheme", options.scheme, "Only this scheme: hc, dev, zfs, fmd, cpu, mem")
      ->type_name("SCHEME")
      ->check(
          quietly(CLI::IsMember({"hc", "dev", "zfs", "md", "dm", "btrfs", "fmd", "cpu", "mem"})));
  program.app.callback([&] {
    options.json = program.json;
    options.part = joined(words);
    if (options.why && options.part.empty())
      throw CLI::RequiredError("PART: --why shows what that part depends on");
    program.then_paged(
        program.with_client([&](Client& client) { return topology(client, options); }));
  });
  return program.run(argc, argv);
}
