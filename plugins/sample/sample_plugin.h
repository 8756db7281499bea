// SamplePlugin: one device whose driver writes its state, "ok" or "failed", to a file. Reports the
// device with that state, and an event whenever the state becomes "failed". Single thread.
#pragma once
#include <chrono>
#include <string>

#include "plugins/sdk/host.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/watcher.h"

namespace fmd::sample {

struct Options {
  std::chrono::milliseconds interval{10000};
};

class SamplePlugin {
 public:
  SamplePlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);

 private:
  void look();
  void report(const std::string& state);

  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::Watcher watcher_;
  std::string last_state_;
};

}  // namespace fmd::sample
