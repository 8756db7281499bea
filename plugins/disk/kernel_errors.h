// KernelErrors: turns the kernel's messages about failing disks and paths into events. Reads the
// kernel's trace and log, merges messages about one failure (Episodes), finds the device (Ways) and
// blames the disk for medium and hardware errors, otherwise the path. Converts two kernel clocks to
// wall clock time. Single thread.
//
//   trace_pipe ─┐                                    ┌─▶ dev://wwn=…  ereport.disk.io.*
//   /dev/kmsg  ─┼─▶ parse ─▶ which way ─▶ Episodes ──┼─▶ dev://path=… ereport.disk.path.*
//   dm's uevents┘                            1 s     └─▶ fs://uuid=…  ereport.fs.kernel_error
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugins/disk/disk_scan.h"
#include "plugins/disk/episodes.h"
#include "plugins/disk/kmsg_text.h"
#include "plugins/sdk/kernel_lines.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/unknown_lines.h"

namespace fmd::disk {

class KernelErrors {
 public:
  // cursor: the last kernel log record that has been reported.
  using Send = std::function<void(std::vector<sdk::OutEvent>, const std::string& cursor)>;
  // changed: called on a path's first error, to publish the path before the event is sent.
  KernelErrors(sd_event* loop, sdk::Host& host, std::chrono::milliseconds episode, Send send,
               std::function<void()> changed);
  // Starts reading; call once. cursor: as stored by fmd, "" if it has none.
  void start(const std::string& cursor);
  bool started() const { return started_; }
  // Call after each look. Disks by FMRI.
  void know(const Ways& ways, const std::map<std::string, Disk>& disks);
  void know_the_same();  // after a look that found no change
  // A path of a multipath map failed, reported by device-mapper. dev: "8:32".
  void path_failed(const std::string& dev, const std::string& map);
  void path_reinstated(const std::string& dev, const std::string& map);

  // "trace", "log", or "counters" if neither can be read.
  std::string_view errors_by() const;
  // Whether the path has had an error.
  bool troubled(const Way& way) const { return troubled_.contains(way.id); }
  void pause(bool on);
  // Describes the trace lines that could not be parsed; "" if there are none.
  std::string unread() const { return unknown_.text(); }
  std::string missing() const { return unknown_.missing(); }

 private:
  void on_trace(std::string_view line);
  void on_log(std::string_view line);
  void take(const Indication& said, int64_t when_ns, uint64_t log_sequence);
  const Way* way_on_port(const DeviceName& device) const;
  const Way* way_of(const DeviceName& device) const;
  // FMRI of the host adapter that its driver calls by this name; "" unknown.
  std::string adapter_named(const std::string& name);
  void add(const std::string& place, const Indication& said, int64_t when_ns, uint64_t sequence);
  void arm();
  void tell();
  void tell_adapters(const std::set<std::string>& serving);
  static sdk::OutEvent event_of_adapter(const Episode& episode);
  void tell_of_way(const Episode& episode, std::vector<sdk::OutEvent>& events);
  sdk::OutEvent event_of(const Way& way, std::string event_class, std::string resource,
                         int64_t when_ns) const;
  std::string cursor() const;

  sd_event* loop_;
  sdk::Host& host_;
  Send send_;
  std::function<void()> changed_;
  Episodes episodes_;
  sdk::Timer due_;
  std::unique_ptr<sdk::KernelLines> trace_, log_lines_;
  LogText log_;
  sdk::UnknownLines unknown_;
  Ways ways_;
  std::map<std::string, Disk> disks_;
  std::map<std::string, size_t> ways_to_;        // by disk FMRI: number of paths
  std::set<std::string> troubled_;               // ids of paths with errors
  std::set<std::string> serving_;                // FMRIs of the host adapters that have disks
  std::map<std::string, std::string> adapters_;  // by name: FMRI; a dead one leaves sysfs
  std::string boot_;                             // the kernel's boot_id
  uint64_t told_ = 0, read_ = 0;                 // sequence numbers of the log
  int64_t history_until_ns_ = 0;                 // uptime; log records before it are not reported
  bool started_ = false, placed_ = false;
};

}  // namespace fmd::disk
