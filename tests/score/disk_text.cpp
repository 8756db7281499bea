#include "disk_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "plugins/disk/ereport.h"
#include "plugins/disk/kmsg_text.h"
#include "plugins/disk/trace_text.h"
#include "plugins/sdk/messages.h"
#include "recorded.h"

namespace fmd::score {
namespace {

constexpr int64_t kMicrosecond = 1000;

// Errors that were not recorded: other words of the kernel for a recorded line, from
// block/blk-core.c (blk_errors) and drivers/scsi/constants.c (snstext).
struct OtherWords {
  std::string_view recorded, meant;
};
constexpr OtherWords kMedium{"I/O error, dev ", "critical medium error, dev "},
    kHardware{"Sense Key : Aborted Command ", "Sense Key : Hardware Error "};

// Reads a line of the trace, or of the log after adding the record's header.
std::optional<disk::Indication> read(const std::string& line, int64_t uptime_ns) {
  if (auto said = disk::parse_trace(line)) return said;
  const std::string record = fmt::format("6,1,{},-;{}", uptime_ns / kMicrosecond, line);
  const auto parsed = disk::parse_kmsg(record);
  return parsed ? disk::indication_in(*parsed) : std::nullopt;
}

// One path of a disk, with the names that the kernel gave it.
struct KernelDisk {
  const Disk* disk;
  size_t way;
  std::string hctl, name;

  bool is(const disk::DeviceName& device) const {
    return device.hctl == hctl || device.name == name;
  }
  const std::string& part(bool of_disk) const { return of_disk ? disk->fmri : disk->paths[way]; }
};

// "sda" … "sdz", "sdaa", …
std::string disk_name(size_t number) {
  std::string letters;
  for (size_t left = number + 1; left > 0; left = (left - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('a' + (left - 1) % 26));
  return "sd" + letters;
}

// SCSI disks only: no NVMe messages were recorded.
std::optional<KernelDisk> find_way(const Host& host,
                                   const std::function<bool(const KernelDisk&)>& is_it) {
  size_t number = 0;
  for (const Disk& disk : host.disks)
    for (size_t way = 0; way < disk.paths.size(); ++way, ++number) {
      if (disk.nvme) continue;
      KernelDisk one{&disk, way, fmt::format("{}:0:{}:0", way, number), disk_name(number)};
      if (is_it(one)) return one;
    }
  return {};
}

// Rewrites the line for another disk; each kind of message names disks differently.
std::string of_disk(const std::string& line, const disk::DeviceName& recorded,
                    const KernelDisk& meant) {
  if (!recorded.name.empty())
    return replaced(line, fmt::format("dev {},", recorded.name),
                    fmt::format("dev {},", meant.name));
  const auto traced = [](std::string hctl) {
    for (const char* name : {" channel=", " id=", " lun="}) hctl = replaced(hctl, ":", name);
    return "host_no=" + hctl;
  };
  if (line.find("host_no=") != line.npos)
    return replaced(line, traced(recorded.hctl), traced(meant.hctl));
  std::string out =
      replaced(line, fmt::format("sd {}:", recorded.hctl), fmt::format("sd {}:", meant.hctl));
  const size_t open = out.find("[sd"), close = out.find(']', open);
  return open == out.npos ? out : out.replace(open + 1, close - open - 1, meant.name);
}

}  // namespace

DiskText::DiskText(const std::string& file) {
  for (const std::string& line : recorded_lines(file)) {
    keep(line);
    for (const OtherWords& words : {kMedium, kHardware})
      if (line.find(words.recorded) != line.npos) keep(replaced(line, words.recorded, words.meant));
  }
}

void DiskText::keep(const std::string& line) {
  const auto said = read(line, 0);
  if (said) lines_.try_emplace(disk::ereport_of({*said, 1}, false).event_class, line);
}

const DiskText& DiskText::recorded() {
  static const DiskText text(FMD_TREE "/tests/score/recorded/kernel-disk.txt");
  return text;
}

std::optional<Event> DiskText::event(const Host& host, std::string_view event_class,
                                     const std::string& resource, int64_t uptime_ns) const {
  const auto line = lines_.find(event_class);
  if (line == lines_.end()) return {};
  const auto meant = find_way(host, [&](const KernelDisk& one) {
    return one.part(true) == resource || one.part(false) == resource;
  });
  if (!meant) return {};
  const auto recorded = read(line->second, 0);
  const auto said = read(of_disk(line->second, recorded->device, *meant), uptime_ns);
  if (!said) return {};
  const auto way = find_way(host, [&](const KernelDisk& one) { return one.is(said->device); });
  if (!way) return {};
  const disk::Ereport told = disk::ereport_of({*said, 1}, way->disk->paths.size() > 1);
  Event event = as_taken({told.event_class, way->part(told.of_disk), 0, 0, told.payload});
  event.payload.set("device", Value(way->name));
  return event;
}

}  // namespace fmd::score
