// check_fmd: a check for Nagios and Icinga, and a local check for Checkmk's agent.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "fmd/base/json.h"
#include "ui/cli/check.h"
#include "ui/cli/daemon.h"
#include "ui/cli/help.h"
#include "ui/client/documents.h"

namespace {

using namespace fmd::cli;

CheckResult ask(const Target& target) {
  auto client = Client::connect(target);
  if (!client) return check_failed(client.error().message);
  const auto cases = fmd::ui::fetch_cases(*client, nlohmann::json::object());
  if (!cases) return check_failed(cases.error().message);
  const auto plugins = client->query("ListPlugins");
  if (!plugins) return check_failed(plugins.error().message);
  const auto outbox = client->query("ListOutbox");
  if (!outbox) return check_failed(outbox.error().message);
  const auto now = client->query("GetStatus");
  if (!now && client->away()) return check_failed(now.error().message);
  return check(*cases, *plugins, *outbox, now ? *now : nlohmann::json::object(),
               static_cast<int64_t>(std::time(nullptr)) * 1000000000);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Check for faults, for Nagios, Icinga and Checkmk.", "check_fmd");
  Target target;
  bool checkmk = false;
  app.add_option("--bus", target.bus, "Bus: system, session or an address");
  app.add_option("-H,--host", target.host, "Query another host's fmd through ssh");
  app.add_flag("--checkmk", checkmk, "Print one line for Checkmk's agent");
  app.footer("Examples:\n" + std::string(examples_of("check_fmd")) +
             "Exit status: 0 OK, 1 warning, 2 critical, 3 unknown.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return error.get_exit_code() == 0 ? 0 : static_cast<int>(CheckState::unknown);
  }
  if (const char* address = getenv("FMD_BUS_ADDRESS");
      address && target.bus.empty() && target.host.empty())
    target.bus = address;
  CheckResult result;
  try {
    result = ask(target);
  } catch (const std::exception& error) {
    result = check_failed(error.what());
  }
  const std::string text = checkmk ? checkmk_line(result) : result.text;
  std::fwrite(text.data(), 1, text.size(), stdout);
  return checkmk ? 0 : static_cast<int>(result.state);
}
