// fmd-zfs: pools, their vdevs and spares; zfs's error reports; and what is to be done about them.
#include <syslog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "fmd/base/duration.h"
#include "plugins/sdk/plugin.h"
#include "plugins/zfs/commands.h"
#include "plugins/zfs/event_source.h"
#include "plugins/zfs/history_reader.h"
#include "plugins/zfs/options.h"
#include "plugins/zfs/pool_watch.h"

namespace fmd::zfs {
namespace {

constexpr int64_t kStillComing = 10 * kSecondNs;  // the record of a command, behind its event

class ZfsPlugin {
 public:
  ZfsPlugin(sdk::Context& context, const Options& options, Memory memory)
      : plugin_(context.loop,
                {.name = "zfs",
                 .observes = {"ereport.fs.zfs.*", "resource.fs.zfs.*", "sysevent.fs.zfs.*",
                              "ereport.fmd.plugin.events_lost"},
                 .commands = {"retire", "restore", "spare_in", "spare_out", "replace", "refresh"},
                 .handles = {"zfs://"}},
                context.socket),
        watch_(context.loop, context.host, options, std::move(memory), watch_sinks()),
        history_(context.loop, context.host, options.zpool_deadline,
                 [this] { return watch_.memory().own_commands; }),
        commands_(context.loop, context.host, watch_, history_),
        events_(context.loop, context.host, event_context(), event_sinks()) {
    plugin_.on_connected([this](const std::string& cursor) { connected(cursor); });
    plugin_.on_command([this](const sdk::CommandRequest& request, sdk::Plugin::Reply reply) {
      commands_.run(request, std::move(reply));
    });
  }

 private:
  // Resources first: rules look at a vdev's properties when its events come.
  void connected(const std::string& cursor) {
    watch_.connected();
    events_.connected(cursor);
    watch_.refresh(true, [this](const Look&) { events_.start(); });
  }

  PoolWatch::Sinks watch_sinks() {
    return {.inventory =
                [this](nlohmann::json resources, nlohmann::json gone, bool complete) {
                  plugin_.send_inventory(std::move(resources), std::move(gone), complete);
                },
            .status = [this](std::string_view state,
                             std::string_view reason) { plugin_.send_status(state, reason); },
            .late = [this](const std::vector<LateEffect>& late) { commands_.settle(late); }};
  }

  EventContext event_context() {
    return {.vdev_type =
                [this](uint64_t pool, uint64_t vdev) {
                  const Pool* found = watch_.find_pool(pool);
                  const Vdev* its = found ? found->find(vdev) : nullptr;
                  return its ? its->type : std::string();
                },
            .resilvering =
                [this](uint64_t pool) {
                  const Pool* found = watch_.find_pool(pool);
                  return found && found->scan.active() && found->scan.kind == Scan::Kind::resilver;
                }};
  }

  EventSource::Sinks event_sinks() {
    return {.send =
                [this](std::vector<sdk::OutEvent> events, std::string cursor) {
                  plugin_.send_events(std::move(events), std::move(cursor));
                },
            .unacked = [this] { return plugin_.unacked_events(); },
            .seen = [this](const ZpoolEvent& event, bool fresh) { watch_.seen(event, fresh); },
            .own_echo = [this](const ZpoolEvent& event) { return commands_.own_echo(event); },
            .cause =
                [this](const ZpoolEvent& event, std::function<void(std::string_view)> answer) {
                  find_cause(event, std::move(answer));
                },
            .lost = [this] { watch_.refresh(true, {}); },
            .trouble = [this](const std::string& why) { watch_.event_trouble(why); }};
  }

  void find_cause(const ZpoolEvent& event, std::function<void(std::string_view)> answer) {
    using Answer = HistoryReader::Answer;
    const Pool* pool = watch_.find_pool(event.number("pool_guid").value_or(0));
    const bool fresh = wall_clock_ns() - event.time_ns < kStillComing;
    history_.ask(who_caused(event, pool),
                 fresh ? HistoryReader::Patience::twice : HistoryReader::Patience::once,
                 [answer = std::move(answer)](Answer by) {
                   answer(by == Answer::somebody ? "administrator" : "unknown");
                 });
  }

  sdk::Plugin plugin_;
  PoolWatch watch_;
  HistoryReader history_;
  Commands commands_;
  EventSource events_;
};

Result<std::shared_ptr<void>> make(sdk::Context& context) {
  auto options = load_options(context.config_path);
  if (!options) return tl::unexpected(options.error());
  auto memory = load_memory(options->state_file);
  if (!memory) sdk::log(LOG_WARNING, memory.error().text() + ": starting without it");
  return std::make_shared<ZfsPlugin>(context, *options, memory ? std::move(*memory) : Memory());
}

}  // namespace
}  // namespace fmd::zfs

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "zfs", "fmd's eyes and hands on ZFS pools",
                               fmd::zfs::make);
}
