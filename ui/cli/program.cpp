#include "ui/cli/program.h"

#include <clocale>
#include <cstdio>
#include <exception>
#include <utility>

#include "ui/cli/layout.h"
#include "ui/client/paths.h"

namespace fmd::cli {

Program::Program(const std::string& name, const std::string& text, const std::string& examples)
    : app(text, name), name_(name) {
  app.set_version_flag("--version", name + " (fmd) " FMD_VERSION);
  app.add_option("--bus", target_.bus, "system, session or an address ($FMD_BUS_ADDRESS)")
      ->type_name("ADDRESS");
  app.add_option("-H,--host", target_.host, "Another host's fmd, through ssh")
      ->type_name("[USER@]HOST");
  app.add_flag("--json", json, "Print JSON (see the man page)");
  app.get_formatter()->column_width(26);
  app.footer(examples);
  app.fallthrough();  // --json may follow a subcommand
}

std::function<Result<void>()> Program::with_client(std::function<Result<void>(Client&)> what) {
  return [this, what = std::move(what)]() -> Result<void> {
    if (const char* address = getenv("FMD_BUS_ADDRESS");
        address && target_.bus.empty() && target_.host.empty())
      target_.bus = address;
    auto client = Client::connect(target_);
    if (!client) return tl::unexpected(client.error());
    return what(*client);
  };
}

namespace {

// The examples are of the whole program.
void only_at_the_top(CLI::App& app) {
  for (CLI::App* sub : app.get_subcommands({})) {
    sub->footer("");
    only_at_the_top(*sub);
  }
}

}  // namespace

int Program::run(int argc, char** argv) {
  setlocale(LC_TIME, "C");
  only_at_the_top(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const Result<void> done = what_ ? what_() : fail("Nothing to do; see " + name_ + " --help");
    if (done) return exit_status;
    fprintf(stderr, "%s: %s\n", name_.c_str(), clean_prose(done.error().text()).c_str());
  } catch (const std::exception& error) {
    fprintf(
        stderr,
        "%s: fmd's answer is not what this program expects (%s); are their versions the same?\n",
        name_.c_str(), clean_prose(error.what()).c_str());
  }
  return error_status;
}

}  // namespace fmd::cli
