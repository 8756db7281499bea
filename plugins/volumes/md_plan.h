// MdPlan: chooses the mdadm(8) commands for a request. Pure; md_commands.h runs them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/hardware/overwrite_guard.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

struct MdStep {
  std::vector<std::string> argv;
  std::string file, text;     // instead of a command: writes `text` to this sysfs file
  bool may_fail = false;      // the next step is another way to achieve the same
  bool ends_if_done = false;  // the steps that follow are that other way
  // Set if the step overwrites this disk: checked immediately before (overwrite_guard.h).
  std::optional<hardware::Overwrite> overwrites = {};
};

struct MdPlan {
  std::optional<sdk::CommandReply> answer;  // set: nothing needs to run
  std::vector<MdStep> steps;
};

using sdk::done, sdk::failed, sdk::refused;

// The state that a `retire` requests: "want-replacement", "faulty"; "" none.
std::string wanted_state(const sdk::CommandRequest& request);
// new_disk: FMRI of the disk at the path of a `replace`.
MdPlan plan_md(const sdk::CommandRequest& request, const MdScan& scan, const MdMemory& memory,
               const std::string& new_disk);
// What does not match the request yet; "" if everything does.
std::string md_unmet(const sdk::CommandRequest& request, const MdScan& scan);

}  // namespace fmd::volumes
