// Parts: what the daemon is made of, held in one place so that its sides (plugins in, commands out,
// D-Bus, upkeep) can be written and tested apart. Owned by Daemon; single thread.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/clock.h"
#include "fmd/daemon/config.h"
#include "fmd/daemon/pipeline.h"
#include "fmd/daemon/policy.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/hub/hub.h"
#include "fmd/model/bay_history.h"
#include "fmd/notify/outbox.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/store/store.h"

namespace fmd {

struct HostIdentity {  // what `fmadm faulty` prints at its head; "" unknown
  std::string name, platform, chassis_id, product_sn;
};
HostIdentity read_host_identity();  // hostname and DMI

struct Cursor {         // a source's place, as committed
  std::string text;     // opaque
  std::string boot_id;  // of the machine when it was committed
};

struct Parts {
  Config config;
  Policy policy;
  Clock clock;
  HostIdentity host;
  std::string boot_id;                     // of the running kernel
  std::vector<std::string> reload_errors;  // of the last reload
  std::optional<bool> dry_run_wish;        // an administrator's word, goes before the file's
  std::map<std::string, Cursor, std::less<>> cursors;  // by plugin name
  std::unique_ptr<Store> store;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Reconciler> reconciler;
  BayHistory bay_history;
  Outbox outbox;
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<PluginHub> hub;

  ActionConfig action() const {  // the file's, with the administrator's word on dry run
    ActionConfig out = config.action;
    out.dry_run = dry_run_wish.value_or(out.dry_run);
    return out;
  }
};

// The daemon's own rows of state, and what they are read back into at start. The error names what
// cannot be read; the rest is taken.
StateRow cursor_row(const std::string& name, const Cursor& cursor);
StateRow dry_run_row(const std::optional<bool>& wish, std::string_view who);
std::vector<StateRow> own_rows(const Parts& parts);
Result<void> restore_own(Parts& parts, const std::vector<StateRow>& rows);

}  // namespace fmd
