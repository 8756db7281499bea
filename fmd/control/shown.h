// Shown: the daemon's current settings as GetConfig shows them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmd/notify/preferences.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/rules/rules.h"
#include "fmd/store/retention.h"

namespace fmd {

struct HostIdentity {  // "" unknown
  std::string name, platform, chassis_id, product_sn;
};

struct Shown {
  HostIdentity host;
  ActionConfig action;           // with the administrator's word on dry run
  bool dry_run_in_file = false;  // [action] in fmd.toml, which that word may overrule
  Preferences notify;
  Retention retention;
  std::string compression;
  std::string socket, state_dir;
  std::vector<std::string> files;  // configuration, event classes and rules, as read
  std::shared_ptr<const RuleSet> rules;
  std::vector<std::string> event_classes;  // as declared; may end in ".*"
  std::vector<std::string> reload_errors;  // of the last reload
  int64_t begins_ns = 0;      // wall: since when its database has everything; 0 unknown
  std::string store_failure;  // why nothing can be written now; "" it can
  std::map<std::string, std::string, std::less<>> cursors;  // by plugin, as committed
};

}  // namespace fmd
