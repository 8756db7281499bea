// DiskFinder: finds the disk of a vdev and a disk's stable name. Reads sysfs and /dev links through
// Host; fast, never touches the disk itself. Single thread.
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

  // FMRI of a leaf's disk; "" unknown or no disk. known: guid → FMRI from earlier looks; updated
  // here. While the vdev is not in service, a name that only gives a place (/dev/sdc, by-path) is
  // not trusted: another disk may be there now.
  std::string disk_of(const Vdev& vdev, std::map<uint64_t, std::string>& known) const;
  // Whether it is on a mapping that a new disk does not have, such as LUKS or LVM; multipath is none.
  // known: guids of those seen so before; updated here while the vdev is in service. seen: it has
  // been in service since; otherwise its name decides.
  bool is_mapped(const Vdev& vdev, std::set<uint64_t>& known, bool seen) const;
  // Whether the device that the kernel would open exists; true if the vdev has no path.
  bool present(const Vdev& vdev) const;
  // Whether udev found this vdev's label on the device that the kernel would open.
  bool bears_label(const Vdev& vdev) const;
  // Stable name of the disk or partition on that disk (FMRI) with the vdev's label; "" none.
  std::string labelled_path(const Vdev& vdev, std::string_view disk) const;
  std::string at_path(const Vdev& vdev) const;  // of the disk that the kernel would open; "" none
  // FMRI of the disk in the vdev's place, by its physical path, otherwise by its own path unless
  // that is unstable (/dev/sdc). "" no disk, or unknown place.
  std::string in_place(const Vdev& vdev) const;
  // The vdev's own name if it gives a place and `device` is there, so that the name chosen by the
  // administrator stays; otherwise "".
  std::string path_in_place(const Vdev& vdev, std::string_view device) const;
  // Kernel name of its whole device: "sde", "dm-0" (the map, not a path below it); "" not present.
  std::string block_device(const Vdev& vdev) const;
  DeviceFacts facts(const Vdev& vdev) const;
  // "/dev/disk/by-id/wwn-0x…" of the disk `device` (FMRI), now at `path` ("": find it). Fails if it
  // is not there or another disk is.
  Result<std::string> stable_path(std::string_view device, std::string_view path) const;
  bool has_partitions(const std::string& path) const;

 private:
  std::string disk_at(const std::string& path) const;                   // FMRI; "" none
  std::string kernel_name(const std::string& path) const;               // "sde1"; "" not there
  bool has_label(const std::string& kernel_name, uint64_t guid) const;  // according to udev
  std::string best_link(std::string_view folder,
                        const std::function<bool(const std::string& kernel_name)>& wanted) const;
  const sdk::Host& host_;
};

// FMRI from a by-id name ("…/wwn-0x5000c500a0000003-part1") or a vdev_devid
// ("scsi-35000c500a0000003-part1"); "" if it has no WWN.
std::string disk_by_name(std::string_view name);

}  // namespace fmd::zfs
