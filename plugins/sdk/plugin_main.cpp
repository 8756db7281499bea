// main() of a plugin: options, loop, connection and exit status.
#include <signal.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <sstream>

#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"

namespace fmd::sdk {
namespace {

constexpr int kBadConfiguration = 78;  // EX_CONFIG, as in fmd: units do not restart on it
constexpr std::string_view kConfigFolder = "/etc/fmd/";

struct LoopDeleter {
  void operator()(sd_event* loop) const { sd_event_unref(loop); }
};

std::unique_ptr<sd_event, LoopDeleter> make_loop() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  signal(SIGPIPE, SIG_IGN);
  sd_event* loop = nullptr;
  if (sd_event_new(&loop) < 0) return nullptr;
  // Without a handler, the signal ends the loop with code 0.
  sd_event_add_signal(loop, nullptr, SIGTERM, nullptr, nullptr);
  sd_event_add_signal(loop, nullptr, SIGINT, nullptr, nullptr);
  sd_event_set_watchdog(loop, true);  // WATCHDOG=1 at the unit's interval while the loop runs
  return std::unique_ptr<sd_event, LoopDeleter>(loop);
}

// A temporary state folder for a plugin that only checks its configuration.
class ScratchState {
 public:
  ScratchState() {
    if (mkdtemp(folder_.data())) setenv("STATE_DIRECTORY", folder_.c_str(), 1);
  }
  ~ScratchState() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  ScratchState(const ScratchState&) = delete;
  ScratchState& operator=(const ScratchState&) = delete;

 private:
  std::string folder_ = "/tmp/fmd-check-XXXXXX";
};

}  // namespace

int plugin_main(int argc, char** argv, std::string_view name, std::string_view about,
                const std::function<Result<std::shared_ptr<void>>(Context&)>& make) {
  const char* from_environment = getenv("FMD_SOCKET");
  std::string socket = from_environment ? from_environment : "/run/fmd/plugins.sock";
  std::string config = std::string(kConfigFolder) + std::string(name) + ".toml";
  const std::string usual_config = config;
  CLI::App app{std::string(about), "fmd-" + std::string(name)};
  app.add_option("--socket", socket, "fmd's plugin socket")->capture_default_str();
  app.add_option("--config", config, "configuration; the usual one may be absent")
      ->capture_default_str();
  bool check = false;
  app.add_flag("--check", check, "check the configuration, list every error, and exit");
  app.set_version_flag("--version", "fmd-" + std::string(name) + " " FMD_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : kBadConfiguration;
  }
  if (config == usual_config && access(config.c_str(), F_OK) < 0) config.clear();

  std::optional<ScratchState> scratch;
  if (check) {
    scratch.emplace();
    socket = "/dev/null/none";  // do not connect: the running plugin may use the name
  }
  auto loop = make_loop();
  if (!loop) {
    log(LOG_ERR, "cannot make an event loop");
    return 1;
  }
  Host host = Host::from_environment(loop.get());
  Context context{loop.get(), host, socket, config};
  auto alive = make(context);
  if (!alive) {
    std::istringstream lines(alive.error().text());
    for (std::string line; std::getline(lines, line);) log(LOG_ERR, line);
    return check ? 1 : kBadConfiguration;
  }
  if (check) {
    alive->reset();
    return 0;
  }
  // Ready even without fmd: the unit's status shows the connection.
  sd_notify(0, "READY=1");
  const int code = sd_event_loop(loop.get());
  alive->reset();  // before the host and the loop, which it uses
  return code < 0 ? 1 : code;
}

}  // namespace fmd::sdk
