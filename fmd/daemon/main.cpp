// fmd: the fault management daemon. Exit status: 0 stopped or --check passed, 1 failed at run time,
// 64 wrong command line, 78 wrong configuration, event classes or rules (--check: 1), or a database
// that this version cannot read: a restart does not help, and systemd does not try one.
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <syslog.h>
#include <systemd/sd-event.h>

#include <cstdio>

#include "fmd/base/counted.h"
#include "fmd/base/log.h"
#include "fmd/daemon/daemon.h"
#include "fmd/daemon/options.h"

namespace {

constexpr int kExitConfig = 78;

void block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGHUP, SIGTERM, SIGINT}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file-size limit is a full disk, not the end
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  const auto options = fmd::parse_options(argc, argv, code);
  if (!options) return code;
  auto [config, errors] = fmd::load_config(options->config_file, options->config_given);
  fmd::apply_options(*options, config);
  auto [policy, policy_errors] = fmd::load_policy(config.events, config.rules);
  errors.insert(errors.end(), policy_errors.begin(), policy_errors.end());
  if (!errors.empty()) {
    for (const fmd::Error& error : errors) fmd::log_line(LOG_ERR, error.text());
    fmd::log_line(LOG_ERR, fmd::counted(errors.size(), "error") + ": fmd does not start");
    return options->check ? 1 : kExitConfig;
  }
  if (options->check) {
    fmt::print("{} files, {} rules: all in order\n",
               policy.files.size() + (config.file.empty() ? 0 : 1), policy.rules->rules().size());
    for (const std::string& warning : fmd::preference_warnings(config.notify))
      fmt::print("warning: {}\n", warning);
    return 0;
  }
  block_signals();
  // The room of a large message goes back to the system with it; glibc would keep it from the second one on.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  sd_event* loop = nullptr;
  if (sd_event_default(&loop) < 0) {
    fmd::log_line(LOG_CRIT, "no event loop can be made");
    return 1;
  }
  auto daemon =
      fmd::Daemon::start(loop, *options, std::move(config), std::move(policy), fmd::system_clock());
  if (!daemon) {
    fmd::log_line(LOG_CRIT, daemon.error().text());
    sd_event_unref(loop);
    return daemon.error().permanent ? kExitConfig : 1;
  }
  code = (*daemon)->run();
  daemon->reset();
  sd_event_unref(loop);
  return code;
}
