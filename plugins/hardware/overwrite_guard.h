// OverwriteGuard: the last look at a disk before a command that overwrites it. The core's word that a disk
// is blank may be old or wrong; each plugin that gives disks to a pool or an array asks here, and sends the
// command at once. Refused unless the path leads to the disk that is meant, before the look and after it,
// nothing on this host uses the disk (O_EXCL), and it was read and is blank. Loop thread.
#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "plugins/hardware/content_probe.h"

namespace fmd::hardware {

struct Overwrite {
  std::string path;       // as the command names it
  std::string disk;       // FMRI of the disk that is meant
  bool insisted = false;  // a person knows what is on it: only the identity is checked
};

class OverwriteGuard {
 public:
  // refusal: a sentence without its full stop; "": the command may be sent.
  using Done = std::function<void(const std::string& refusal)>;

  OverwriteGuard(sdk::Host& host, std::chrono::milliseconds deadline);
  // done: once, from the loop or from this call.
  void check(const Overwrite& wish, Done done);

 private:
  std::string identity_refusal(const Overwrite& wish) const;

  sdk::Host& host_;
  ContentProbe probe_;
};

}  // namespace fmd::hardware
