// MdPlan: which mdadm(8) commands do what the core wishes of a member. Pure; md_commands.h runs it.
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
  std::string file, text;     // instead: that into this file of sysfs
  bool may_fail = false;      // the next one is another way to the same end
  bool ends_if_done = false;  // what follows is that other way
  // It overwrites this disk: checked immediately before it (overwrite_guard.h).
  std::optional<hardware::Overwrite> overwrites = {};
};

struct MdPlan {
  std::optional<sdk::CommandReply> answer;  // nothing to be run
  std::vector<MdStep> steps;
};

using sdk::done, sdk::failed, sdk::refused;

// The state that a `retire` asks for: "want-replacement", "faulty"; "" none.
std::string wanted_state(const sdk::CommandRequest& request);
// new_disk: what lies behind the path that a `replace` names.
MdPlan plan_md(const sdk::CommandRequest& request, const MdScan& scan, const MdMemory& memory,
               const std::string& new_disk);
// What is not yet as wished; "" all is.
std::string md_unmet(const sdk::CommandRequest& request, const MdScan& scan);

}  // namespace fmd::volumes
