// Status: one screen that shows whether fmd is observing, and whether there are problems.
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
    bool informs = false;  // needs no action
  };
  struct Zed {  // ZED, which may also act on faulty disks, besides fmd-zfs
    bool running = false;
    std::string act;  // fmd-zfs's setting: "always", "unless-zed", "never"; "" unknown
  };
  struct Channel {  // a notifier
    std::string name, reason;
    int64_t delivered_ns = 0;  // last delivery; 0: none yet
    int64_t waiting_since_ns = 0;
    int64_t digest_by_ns = 0;  // latest sending time of the open digest; 0: none is open
    int64_t given_up_ns = 0;   // time of the last one
    size_t waiting = 0, given_up = 0;
    bool connected = false;
  };

  std::string host, version;
  bool dry_run = false;
  bool dry_run_in_file = false;
  std::vector<Problem> problems;     // worst first
  std::vector<AdvisedCase> advised;  // the same, most urgent first; empty with an older fmd
  ui::MachineNow now;
  std::map<std::string, size_t> parts;  // present parts: "zfs-pool" → 2
  // Known parts that are not observed now, by the plugin that should: "cpu" → "dimm" → 16.
  std::map<std::string, std::map<std::string, size_t>> unseen;
  size_t smart_disks = 0, asleep = 0, hung = 0;  // numbers of disks, from fmd-smart
  bool smart_away = false;                       // fmd-smart is not running: those are old
  bool collector = false;  // the kernel hides corrected memory errors (RAS_CEC)
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

// A sentence if an empty list of problems does not mean that all is well; otherwise "".
Result<std::string> blindness(Client& client);

// *exit_status: 0 ok, 1 problems, 3 blind.
Result<void> status(Client& client, bool json, int* exit_status);

}  // namespace fmd::cli
