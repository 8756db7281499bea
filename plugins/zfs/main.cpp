// fmd-zfs: observes pools, vdevs, spares and zfs's error reports, and carries out fmd's commands.
#include <syslog.h>

#include <memory>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/zfs/commands.h"
#include "plugins/zfs/event_source.h"
#include "plugins/zfs/gone_devices.h"
#include "plugins/zfs/history_reader.h"
#include "plugins/zfs/latency_watch.h"
#include "plugins/zfs/options.h"
#include "plugins/zfs/pool_watch.h"
#include "plugins/zfs/redundancy.h"
#include "plugins/zfs/scan_readings.h"

namespace fmd::zfs {
namespace {

constexpr int64_t kStillComing = 10 * kSecondNs;  // time until a command's record follows its event

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
        events_(context.loop, context.host, event_context(), event_sinks()),
        latency_(context.loop, context.host, watch_,
                 [this](nlohmann::json readings) { plugin_.send_readings(std::move(readings)); }),
        gone_devices_(context.loop, context.host, watch_) {
    plugin_.on_connected([this](const std::string& cursor) { connected(cursor); });
    plugin_.on_command([this](const sdk::CommandRequest& request, sdk::Plugin::Reply reply) {
      commands_.run(request, std::move(reply));
    });
  }

 private:
  // Publish the resources first: rules read a vdev's properties when its events arrive.
  void connected(const std::string& cursor) {
    watch_.connected();
    events_.connected(cursor);
    watch_.refresh(true, [this](const Look&) { events_.start(); });
    latency_.start();
  }

  PoolWatch::Sinks watch_sinks() {
    return {.inventory =
                [this](nlohmann::json resources, nlohmann::json gone, bool complete) {
                  auto readings = scan_readings_.take(resources, wall_clock_ns());
                  plugin_.send_inventory(std::move(resources), std::move(gone), complete);
                  if (!readings.empty()) plugin_.send_readings(std::move(readings));
                },
            .status = [this](std::string_view state,
                             std::string_view reason) { plugin_.send_status(state, reason); },
            .record =
                [this](uint64_t pool, uint64_t vdev, int64_t since_ns) {
                  const Pool* its = watch_.find_pool(pool);
                  if (!its) return;
                  history_.ask_last(who_made_it_so(*its, vdev, since_ns, wall_clock_ns()),
                                    [this, vdev](const std::optional<std::string>& record) {
                                      if (record) watch_.recorded(vdev, *record);
                                    });
                },
            .cleared = [this](const std::vector<Cleared>& cleared) { find_cleaner(cleared); },
            .late = [this](const std::vector<LateEffect>& late) { commands_.settle(late); },
            .held = [this] { return events_.asking(); }};
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
                },
            .read_leaf =
                [this](uint64_t pool, uint64_t vdev) {
                  const Pool* found = watch_.find_pool(pool);
                  return found ? read_leaf(*found, vdev) : 0;
                },
            .vdev_role =
                [this](uint64_t pool, uint64_t vdev) {
                  const Pool* found = watch_.find_pool(pool);
                  const Vdev* its = found ? found->find(vdev) : nullptr;
                  return its ? its->role : std::string();
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
            .trouble = [this](const std::string& why) { watch_.event_trouble(why); },
            .settled = [this] { watch_.release(); }};
  }

  void find_cause(const ZpoolEvent& event, std::function<void(std::string_view)> answer) {
    using Answer = HistoryReader::Answer;
    const Pool* pool = watch_.find_pool(event.number("pool_guid").value_or(0));
    const bool fresh = wall_clock_ns() - event.time_ns < kStillComing;
    history_.ask(who_caused(event, pool),
                 fresh ? HistoryReader::Patience::twice : HistoryReader::Patience::once,
                 [this, event, answer = std::move(answer)](Answer by) {
                   if (by != Answer::somebody) return answer("unknown");
                   const Pool* now = watch_.find_pool(event.number("pool_guid").value_or(0));
                   answer(ends_faults(event, now) ? "administrator" : "no-repair");
                 });
  }

  void find_cleaner(const std::vector<Cleared>& cleared) {
    using Answer = HistoryReader::Answer;
    for (const Cleared& each : cleared) {
      const Pool* pool = watch_.find_pool(each.pool);
      if (!pool) continue;
      history_.ask(who_else(*pool, each.vdev, {"clear"}, each.since_ns, wall_clock_ns()),
                   HistoryReader::Patience::twice, [this, each](Answer by) {
                     const Pool* now = watch_.find_pool(each.pool);
                     if (by == Answer::unknown)  // ask again after the next look
                       watch_.memory().counted.try_emplace(
                           each.vdev, Memory::Counted{each.pool, each.since_ns});
                     if (by == Answer::somebody && now)
                       events_.add(cleared_event(*now, each.vdev, wall_clock_ns()));
                   });
    }
  }

  sdk::Plugin plugin_;
  ScanReadings scan_readings_;
  PoolWatch watch_;
  HistoryReader history_;
  Commands commands_;
  EventSource events_;
  LatencyWatch latency_;
  GoneDevices gone_devices_;
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
  return fmd::sdk::plugin_main(argc, argv, "zfs", "fmd's plugin for ZFS pools", fmd::zfs::make);
}
