#include "plugins/sample/sample_plugin.h"

#include <ctime>

#include "plugins/sdk/messages.h"

namespace fmd::sample {
namespace {

using nlohmann::json;

constexpr const char* kStateFile = "/run/sample/state";
constexpr const char* kDevice = "sample://device=0";

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace

SamplePlugin::SamplePlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                           Options options)
    : host_(host),
      options_(options),
      plugin_(loop, {"sample", {"ereport.sample.*"}, {"refresh"}, {"sample://"}}, socket),
      watcher_(sdk::Watcher::Clock::of(loop), {options_.interval, {}}, {[this](bool) { look(); }}) {
  plugin_.on_connected([this](const std::string&) { watcher_.connected(); });
  plugin_.on_command([this](const sdk::CommandRequest&, const sdk::Plugin::Reply& reply) {
    watcher_.refresh([reply](const std::string& trouble) {
      reply({trouble.empty() ? "done" : "failed", trouble, json::object()});
    });
  });
}

// This file is in memory, so the read cannot block. Read a file that may wait for a device in a
// child with a deadline (Flight, Host::run()), and call over() when it has ended.
void SamplePlugin::look() {
  const Result<std::string> state = host_.read(kStateFile);
  if (state) {
    report(*state);
    plugin_.send_status("ok", "");
  } else {
    plugin_.send_inventory(json::array(), json::array(), true);
    plugin_.send_status("not-observed", state.error().text());
  }
  watcher_.over(state ? "" : state.error().text());
}

// The event goes first: a fault that is repaired by a good property must first see the bad one.
void SamplePlugin::report(const std::string& state) {
  if (state == "failed" && last_state_ != "failed")
    plugin_.send_events({{"ereport.sample.failed", kDevice, now_ns(), 0, {{"state", state}}}}, "");
  last_state_ = state;
  const json device = sdk::resource(kDevice, "sample", {{"name", "device 0"}, {"state", state}});
  plugin_.send_inventory(json::array({device}), json::array(), true);
}

}  // namespace fmd::sample
