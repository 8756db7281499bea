// DiskFinder: which disk a vdev is on, and by which stable name a disk is known. Reads sysfs and
// /dev links through Host; quick, never touches the disk itself. Single thread.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "plugins/sdk/host.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/spare_choice.h"

namespace fmd::zfs {

class DiskFinder {
 public:
  explicit DiskFinder(const sdk::Host& host) : host_(host) {}

  // FMRI of the disk a leaf is on; "" unknown or no disk. known: guid → FMRI of earlier looks, kept
  // up to date. A name that only tells a place (/dev/sdc, by-path) is not believed while the vdev
  // is not in service: another disk may sit there now.
  std::string disk_of(const Vdev& vdev, std::map<uint64_t, std::string>& known) const;
  // Whether what the kernel would open for it is there; true when it has no path of its own.
  bool present(const Vdev& vdev) const;
  // Whether udev has read this vdev's own label where the kernel would open it.
  bool bears_label(const Vdev& vdev) const;
  // Stable name of what on that disk (FMRI) bears its label: the disk, or a partition; "" nothing.
  std::string labelled_path(const Vdev& vdev, std::string_view disk) const;
  std::string at_path(const Vdev& vdev) const;  // FMRI of the disk that it would open; "" none
  // What sits where the vdev's disk sat, by its physical path, else by its own path where that is no
  // passing name (/dev/sdc). "" nothing, or nobody knows where that is.
  std::string in_place(const Vdev& vdev) const;
  // By the vdev's own name, where that tells a place and `device` is there: so the name stays the
  // one that its administrator has chosen. "" else.
  std::string path_in_place(const Vdev& vdev, std::string_view device) const;
  // Name of the whole device that it is on: "sde", "dm-0" (not a path below it); "" not there.
  std::string block_device(const Vdev& vdev) const;
  DeviceFacts facts(const Vdev& vdev) const;
  // "/dev/disk/by-id/wwn-0x…" of the disk `device` (FMRI), which is at `path` now ("" : look for
  // it). Fails when it is not there or another disk is.
  Result<std::string> stable_path(std::string_view device, std::string_view path) const;
  bool has_partitions(const std::string& path) const;

 private:
  std::string disk_at(const std::string& path) const;                   // FMRI; "" none
  std::string kernel_name(const std::string& path) const;               // "sde1"; "" not there
  bool has_label(const std::string& kernel_name, uint64_t guid) const;  // by udev
  std::string best_link(std::string_view folder,
                        const std::function<bool(const std::string& kernel_name)>& wanted) const;
  const sdk::Host& host_;
};

// FMRI by what is in a by-id name ("…/wwn-0x5000c500a0000003-part1") or vdev_devid
// ("scsi-35000c500a0000003-part1");
// "" when it tells no WWN.
std::string disk_by_name(std::string_view name);

}  // namespace fmd::zfs
