// fmtopo: what the machine is made of, as the plugins reported it.
#include "ui/cli/arguments.h"
#include "ui/cli/program.h"
#include "ui/cli/topology.h"

int main(int argc, char** argv) {
  using namespace fmd::cli;
  Program program("fmtopo", "What this machine is made of: parts, where they sit, how they relate.",
                  "Examples:\n"
                  "  fmtopo -V \"SLOT 06\"     everything known about that bay\n"
                  "  fmtopo 5000c500fa0e5e50/bay-3   bay 3 of that shelf, when several have one\n"
                  "  fmtopo -s zfs           pools and vdevs only\n"
                  "  fmtopo --why sdc        what that disk hangs on\n"
                  "  fmtopo --graph | dot -Tsvg > topology.svg\n"
                  "Exit status: 0 done, 1 error, 2 wrong usage. See fmtopo(8).");
  TopoOptions options;
  std::vector<std::string> words;  // a label with blanks need not be quoted
  program.app.add_option("PART", words, "FMRI, bay, SHELF/BAY, serial, device: what is below");
  program.app.add_flag("-V,--properties", options.properties, "With all properties");
  auto* why = program.app.add_flag("--why", options.why,
                                   "What PART hangs on: path, place, power, cooling, data");
  program.app.add_flag("--graph", options.graph, "As a graph for Graphviz (dot)")->excludes(why);
  program.app.add_flag("-a,--all", options.all, "Cores, threads, SAS phys and bridges too");
  program.app
      .add_option("-s,--scheme", options.scheme, "This scheme only: hc, dev, zfs, fmd, cpu, mem")
      ->type_name("SCHEME")
      ->check(
          quietly(CLI::IsMember({"hc", "dev", "zfs", "md", "dm", "btrfs", "fmd", "cpu", "mem"})));
  program.app.callback([&] {
    options.json = program.json;
    options.part = joined(words);
    if (options.why && options.part.empty())
      throw CLI::RequiredError("PART: --why shows what that part hangs on");
    program.then_paged(
        program.with_client([&](Client& client) { return topology(client, options); }));
  });
  return program.run(argc, argv);
}
