// OverwriteGuard: checks a disk immediately before a command that overwrites it. The core's statement that the
// disk is blank may be outdated or wrong. A plugin that adds disks to a pool or an array calls check() and then
// sends the command without delay. The disk is refused unless the path leads to it both before and after the
// check, nothing on this host uses it (O_EXCL), and it was read and is blank. Loop thread.
#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "plugins/hardware/content_probe.h"

namespace fmd::hardware {

struct Overwrite {
  std::string path;       // as the command names it
  std::string disk;       // FMRI of the disk that is meant
  bool insisted = false;  // --force: any content is accepted, but the disk must not be in use
};

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

  sdk::Host& host_;
  ContentProbe probe_;
};

}  // namespace fmd::hardware
