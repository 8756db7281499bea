// Status: one screen that says whether fmd watches, and whether anything is wrong.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/case.h"
#include "ui/cli/advice_text.h"
#include "ui/cli/daemon.h"
#include "ui/client/advice.h"
#include "ui/client/watching.h"

namespace fmd::cli {

struct Status {
  enum class Verdict { ok, problems, blind };  // blind: an empty list of problems means nothing
  struct Problem {
    std::string uuid, severity, where, what;
    bool acknowledged = false;
    bool informs = false;  // nothing is to be done about it
  };
  struct Zed {  // what ZFS brings to act on faulty disks, beside fmd-zfs
    bool running = false;
    std::string act;  // fmd-zfs's: "always", "unless-zed", "never"; "" fmd-zfs has not said
  };
  struct Channel {  // a notifier
    std::string name, reason;
    int64_t delivered_ns = 0;  // of the last message; 0: none yet
    int64_t waiting_since_ns = 0;
    int64_t digest_by_ns = 0;  // when the open digest goes out at the latest; 0: none is open
    int64_t given_up_ns = 0;   // of the last one
    size_t waiting = 0, given_up = 0;
    bool connected = false;
  };

  std::string host, version;
  bool dry_run = false;
  std::vector<Problem> problems;     // worst first
  std::vector<AdvisedCase> advised;  // the same, most urgent first; empty: an older fmd
  ui::MachineNow now;
  std::map<std::string, size_t> parts;  // present; "zfs-pool" → 2
  // Parts that are known and not seen now, by the plugin that watches them: "cpu" → "dimm" → 16.
  std::map<std::string, std::map<std::string, size_t>> unseen;
  size_t smart_disks = 0, asleep = 0, hung = 0;  // of the disks, as fmd-smart has them
  bool smart_away = false;                       // fmd-smart does not run: those are old
  bool collector = false;  // the kernel keeps corrected memory errors to itself (RAS_CEC)
  ui::Watching eyes;
  std::vector<Channel> channels;
  std::vector<std::string> work;      // resilvers, scrubs
  std::vector<std::string> warnings;  // cleaned
  size_t in_force = 0, intended = 0;
  size_t waiting = 0, refused = 0, failed = 0;  // actions of open cases
  Zed zed;

  Verdict verdict() const;
};

std::string status_text(const Status& status);

// A sentence when an empty list of problems does not mean that all is well; "" it does.
Result<std::string> blindness(Client& client);

// *exit_status: 0 ok, 1 problems, 3 blind.
Result<void> status(Client& client, bool json, int* exit_status);

}  // namespace fmd::cli
