// OverwriteGuard: checks a disk immediately before a command that overwrites it, since fmd's belief
// that the disk is blank may be outdated or wrong. A plugin that adds disks to a pool or array
// calls check() and then sends the command without delay. The disk is accepted only if the path
// leads to it both before and after the check, nothing on this host uses it (O_EXCL), and it was
// read and is blank. A disk of the pool or array itself (a spare, a former member) may also have
// that label, but no other: with two labels, either may be stale. Loop thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "plugins/hardware/content_probe.h"

namespace fmd::hardware {

struct OwnLabel {
  std::string type;       // "zfs_member", "linux_raid_member", as named by blkid(8)
  std::string uuid;       // of the pool or array; "" any
  std::string member;     // of this member; "" any
  bool held = false;      // its own pool holds it open, which is not a foreign use
  std::string help = {};  // ends the refusal: how to make the disk usable again
};

struct Overwrite {
  std::string path;  // as in the command
  std::string disk;  // FMRI of the intended disk
  // --force: any content is accepted, unless was_blank is set. The disk must not be in use.
  bool insisted = false;
  std::optional<OwnLabel> own = {};  // label that the disk may have although it is not blank
  // Checked in addition to the FMRI, because two disks may have the same WWN or serial number (a maker's
  // mistake, an adapter). Values from when the disk was chosen; "" and 0 are not checked.
  std::string serial = {};
  uint64_t size_bytes = 0;
  // fmd believed the disk to be blank when it was chosen. With `insisted`, the disk must still be
  // blank: the person agreed to overwrite a blank disk only.
  bool was_blank = false;
};
// Copies "serial", "size_bytes" and "blank" from the arguments of the command "replace".
void add_identity(const nlohmann::json& args, Overwrite& wish);

class OverwriteGuard {
 public:
  // refusal: a sentence without its full stop; "": the command may be sent.
  using Done = std::function<void(const std::string& refusal)>;

  OverwriteGuard(sdk::Host& host, std::chrono::milliseconds deadline,
                 ContentProbe::Read read = sample_unused_disk);
  // done: once, from the loop or from this call.
  void check(const Overwrite& wish, Done done);

 private:
  std::string identity_refusal(const Overwrite& wish) const;
  void judge(const Overwrite& wish, const Content& content, const Done& done);
  void judge_label(const Overwrite& wish, const Content& content, const Done& done);

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  ContentProbe probe_, held_probe_;
};

}  // namespace fmd::hardware
