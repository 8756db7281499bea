#include "plugins/volumes/volumes_plugin.h"

#include <fmt/format.h>
#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fmd/base/counted.h"
#include "fmd/base/text.h"
#include "plugins/sdk/messages.h"
#include "plugins/volumes/md_known.h"
#include "plugins/volumes/md_news.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kVolumesCoalesce{100};  // one change causes many events
constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
constexpr const char* kSilent = "the kernel does not answer for its arrays and maps";

int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::string to_bytes(const json& doc) {
  const auto bytes = json::to_cbor(doc);
  return std::string(bytes.begin(), bytes.end());
}

// A disk without a name in udev's links counts as present.
bool has_device(const sdk::Host& host, const std::string& disk) {
  const std::vector<std::string> links = links_of_disk(disk);
  return links.empty() || std::any_of(links.begin(), links.end(), [&](const std::string& link) {
           return host.exists("/dev/disk/by-id/" + link);
         });
}

// Whether one of a map's paths still exists, with the same diskseq if the kernel has one.
bool has_path(const sdk::Host& host, const KnownMap& map) {
  return std::any_of(map.devices.begin(), map.devices.end(), [&](const auto& path) {
    const std::string folder = "/sys/class/block/" + path.first;
    return host.exists(folder) && host.read(folder + "/diskseq").value_or("") == path.second;
  });
}

// Members of arrays, and the devices that LVM volumes are on.
std::vector<std::string> devices_below(const MdScan& md, const std::vector<DmMap>& dm) {
  std::set<std::string> devices;
  for (const MdArray& array : md.arrays)
    for (const MdMember& member : array.members) devices.insert(member.device);
  for (const DmMap& map : dm)
    if (!map.multipath())
      for (const DmDevice& below : map.below) devices.insert(below.name);
  return {devices.begin(), devices.end()};
}

bool is_busy(const MdScan& scan) {
  return std::any_of(scan.arrays.begin(), scan.arrays.end(),
                     [](const MdArray& array) { return !md_busy(array).empty(); });
}

bool is_busy(const std::optional<DmStatus>& told) {
  return told && std::any_of(told->raid.begin(), told->raid.end(), [](const auto& entry) {
           return entry.second.action != "idle" && entry.second.action != "frozen";
         });
}

// An LVM volume that goes while the machine runs was removed or deactivated by a person: the kernel removes none.
void add_gone_volumes(const std::vector<DmMap>& before, const std::vector<DmMap>& now,
                      std::map<std::string, json>& out) {
  for (const DmMap& was : before)
    if (!was.multipath() && std::none_of(now.begin(), now.end(),
                                         [&](const DmMap& map) { return map.uuid == was.uuid; }))
      out[dm_fmri(was)] = {{"fmri", dm_fmri(was)}, {"reason", "detached"}};
}

// Members that were replaced, or left an array that still exists, are gone for good; the others may
// come back.
std::map<std::string, json> gone_for_good(const MdScan& before, const MdScan& now,
                                          const MdMemory& memory) {
  std::map<std::string, json> out;
  for (const MdArray& array : before.arrays)
    for (const MdMember& m : array.members)
      if (std::any_of(now.arrays.begin(), now.arrays.end(),
                      [&](const MdArray& a) { return a.fmri == array.fmri; }))
        out[m.fmri] = {{"fmri", m.fmri}, {"reason", "detached"}};
  for (const auto& [fmri, by] : memory.replaced)
    out[fmri] = {{"fmri", fmri}, {"reason", "replaced"}, {"replaced_by", by}};
  return out;
}

}  // namespace

bool udev_tells_all(const MdScan& md, const std::vector<DmMap>& dm,
                    const std::vector<BtrfsFileSystem>& btrfs,
                    const std::vector<RaidVolume>& hardware) {
  return md.arrays.empty() && btrfs.empty() && hardware.empty() &&
         std::all_of(dm.begin(), dm.end(), [](const DmMap& map) { return map.multipath(); });
}

VolumesPlugin::VolumesPlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                             Options options)
    : host_(host),
      options_(options),
      memory_(options.state_file),
      plugin_(
          loop,
          {"volumes", {"sysevent.md.*"}, {"retire", "restore", "replace", "refresh"}, {"md://"}},
          socket),
      inventory_(plugin_),
      scan_(std::make_shared<sdk::Flight>(host, options.scan_deadline)),
      watcher_(sdk::Watcher::Clock::of(loop),
               {options.rescan, kVolumesCoalesce, sdk::kCalmOfBlockDevices},
               {[this](bool asked) { look(asked); },
                [this] { return std::string(scan_->stuck() ? kSilent : ""); }}),
      md_commands_(loop, host, memory_, [this](MdCommands::Seen seen) {
        watcher_.refresh([this, seen = std::move(seen)](const std::string& trouble) {
          seen(trouble.empty() ? &now_.md : nullptr, trouble);
        });
      }) {
  if (auto known = memory_.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + ": starting without it");
  plugin_.on_connected([this](const std::string&) {
    watcher_.connected();
    if (looked_) publish(true);
  });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    answer(request, reply);
  });
  udev_ = sdk::UdevMonitor::of_host(
      host, loop, {"block"}, [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
  watcher_.look();
}

void VolumesPlugin::on_udev(const sdk::UdevMonitor::Event& event) {
  const auto map = event.properties.find("DM_NAME");
  flushed_.heard(event.action, event.name, map == event.properties.end() ? "" : map->second,
                 now_.dm);
  watcher_.hint();
}

json VolumesPlugin::look_at(const sdk::Host& host, const Look& before, bool anew) {
  const MdScan md = scan_md(host, before.md.arrays);
  const std::vector<DmMap> dm = scan_dm(host, anew ? std::vector<DmMap>() : before.dm);
  return {{"md", to_json(md)},
          {"dm", to_json(dm)},
          {"btrfs", to_json(scan_btrfs(host, before.btrfs))},
          {"hardware", to_json(scan_hardware_raid(host))},
          {"needs", to_json(read_needs(host, devices_below(md, dm)))}};
}

void VolumesPlugin::look(bool asked) {
  scan_->start([this, asked] { return to_bytes(look_at(host_, now_, asked)); },
               [this](const sdk::CommandOutput& output, bool same) { scanned(output, same); });
}

void VolumesPlugin::scanned(const sdk::CommandOutput& output, bool same) {
  if (!output.ok()) return looked(scan_->stuck() ? kSilent : output.explain("reading /sys/block"));
  if (same && looked_) return ask_dmsetup({});
  const json doc = json::from_cbor(output.out, true, false);
  if (!doc.is_object()) return looked("the look at /sys/block broke off");
  ask_dmsetup(Look{md_from_json(doc.at("md")), dm_from_json(doc.at("dm")),
                   btrfs_from_json(doc.at("btrfs")), hardware_raid_from_json(doc.at("hardware")),
                   needs_from_json(doc.at("needs"))});
}

// The state of a map's paths and of raid legs is available only by an ioctl.
void VolumesPlugin::ask_dmsetup(std::optional<Look> look) {
  if ((look ? look->dm : now_.dm).empty()) return told(std::move(look), {}, "");
  if (!host_.has_tool("dmsetup"))
    return told(std::move(look), {},
                "there is no dmsetup(8): the state of paths and of LVM's mirrors is unknown");
  // --noflush: otherwise dmsetup makes a thin pool write its metadata.
  host_.run({"dmsetup", "status", "--noflush"}, options_.scan_deadline,
            [this, look = std::move(look)](const sdk::CommandOutput& output) mutable {
              if (output.ok()) return told(std::move(look), output.out, "");
              told(std::move(look), {}, display(output.explain("dmsetup status"), 300));
            });
}

// Usually nothing has changed.
void VolumesPlugin::told(std::optional<Look> look, const std::optional<std::string>& dmsetup,
                         const std::string& trouble) {
  const bool same =
      !std::exchange(acted_, false) && !look && dmsetup == dm_text_ && !watcher_.complete_due();
  const bool tells = udev_tells_all(now_.md, now_.dm, now_.btrfs, now_.hardware);
  if (!same || trouble != dm_trouble_ || !tells) watcher_.news();
  dm_trouble_ = trouble;
  dm_text_ = dmsetup;
  if (!same) {
    dm_told_.reset();
    if (dmsetup) dm_told_ = parse_dm_status(*dmsetup);
    take_in(look ? std::move(*look) : Look(now_));
  }
  looked("");
}

void VolumesPlugin::looked(const std::string& trouble) {
  if (!trouble.empty()) watcher_.news();
  tell_status(trouble);
  const bool busy = is_busy(now_.md) || is_busy(dm_told_);
  watcher_.over(trouble, busy ? std::optional(options_.rescan_busy) : std::nullopt);
}

void VolumesPlugin::take_in(Look look) {
  before_ = std::move(now_.md);
  before_dm_ = std::move(now_.dm);
  now_ = std::move(look);
  recognise(now_.md, memory_.md);
  const std::string boot = host_.read(kBootId).value_or("");
  note(now_.md, boot, memory_.md);
  note_needs(now_.md, now_.needs, memory_.md);
  note_paths(now_.dm, memory_.paths);
  note_maps(
      now_.dm, boot,
      [this](const KnownMap& map) { return flushed_.take(map.name) || has_path(host_, map); },
      memory_.maps);
  note_needs(now_.dm, now_.needs, memory_.maps);
  note_disks(now_.btrfs, memory_.btrfs_disks);
  note_file_systems(now_.btrfs, boot, now_.needs, memory_.btrfs_known);
  std::vector<sdk::OutEvent> news;
  // The first look only sets the baseline: changes from before this process are not reported.
  if (looked_) news = md_news(before_, now_.md, memory_.md, wall_ns());
  memory_.save();
  looked_ = true;
  // Send the inventory first, so that fmd knows the resource of each event.
  publish(watcher_.complete_due());
  if (!news.empty()) plugin_.send_events(std::move(news), "");
}

void VolumesPlugin::publish(bool complete) {
  if (complete && plugin_.connected()) watcher_.complete_sent();
  auto all = md_resources(now_.md, memory_.md, now_.needs);
  all.merge(dm_resources(now_.dm, dm_told_ ? &*dm_told_ : nullptr, memory_.paths));
  const auto is_there = [this](const std::string& disk) { return has_device(host_, disk); };
  all.merge(known_resources(now_.dm, memory_.maps, now_.needs, is_there));
  all.merge(btrfs_resources(now_.btrfs, memory_.btrfs_disks));
  all.merge(missing_file_systems(now_.btrfs, host_.read(kBootId).value_or(""), now_.needs,
                                 memory_.btrfs_known, is_there));
  all.merge(hardware_raid_resources(now_.hardware));
  auto gone = gone_for_good(before_, now_.md, memory_.md);
  add_gone_volumes(before_dm_, now_.dm, gone);
  inventory_.send(all, complete, gone);
}

void VolumesPlugin::answer(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  if (request.name != "refresh" && !options_.act)
    return reply(refused("act = false in volumes.toml: fmd changes no array"));
  if (request.name != "refresh")
    return md_commands_.run(request, [this, reply](sdk::CommandReply answer) {
      acted_ = true;
      reply(std::move(answer));
    });
  watcher_.refresh([reply](const std::string& trouble) {
    reply(trouble.empty() ? done("looked at all arrays") : failed(trouble));
  });
}

void VolumesPlugin::tell_status(const std::string& trouble) {
  if (!trouble.empty()) return plugin_.send_status("degraded", trouble);
  if (now_.md.nameless > 0)
    return plugin_.send_status("degraded",
                               "left out: " + counted(now_.md.nameless, "md array") +
                                   " without a known UUID; udev's links in /dev/disk/by-id "
                                   "(package mdadm) would provide it");
  if (!dm_trouble_.empty()) return plugin_.send_status("degraded", dm_trouble_);
  if (now_.md.arrays.empty() && memory_.md.arrays.empty() && now_.dm.empty() &&
      memory_.maps.empty() && now_.btrfs.empty() && memory_.btrfs_known.empty() &&
      now_.hardware.empty())
    return plugin_.send_status("not-observed",
                               "no md array, multipath map, LVM volume or btrfs on this host");
  if (options_.act && !now_.md.arrays.empty() && !host_.has_tool("mdadm"))
    return plugin_.send_status("ok", "observed only: there is no mdadm(8) on this host");
  plugin_.send_status("ok", "");
}

}  // namespace fmd::volumes
