// Reconciler: level-triggered action. Each open case says what should be (retired, spare in, fault
// LED on, replaced); compared with the inventory, what is missing becomes commands; their results
// come back through done(). Pure: no clock, no sockets. Single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/engine.h"

namespace fmd {

struct ActionConfig {        // fmd.toml [action]
  bool dry_run = false;      // say what would be done, touch nothing
  uint64_t max_retired = 2;  // blast radius: at most this many ASRUs taken out per group...
  int64_t max_retired_within_ns =
      24LL * 3600 * 1000000000;  // ...in this time, unless put back meanwhile
  bool auto_replace = true;  // a blank disk in the bay of a faulted one is taken as its replacement
  int64_t first_retry_ns = 1000000000,
          max_retry_ns = 300LL * 1000000000;  // back-off doubles between them
};

struct Command {
  std::string name;      // "retire", "spare_in", "set_led", ... (schemas/plugin-protocol.md)
  std::string resource;  // FMRI
  std::string key;       // idempotency key
  std::string args;      // JSON object
  int64_t deadline_ms = 60000;
  std::string uuid;    // case, "" for locate
  std::string action;  // name in Case::actions, "" for locate
};

struct CommandResult {
  std::string status;  // "done", "refused", "failed"
  std::string reason;
  std::string detail;  // JSON object
};

class Reconciler {
 public:
  Reconciler(Engine& engine, ActionConfig config);
  void set_config(ActionConfig config);
  const ActionConfig& config() const;

  // What to send now. At most one command in flight per resource. handled(fmri) tells whether a
  // plugin that takes commands for it is connected.
  std::vector<Command> step(int64_t now_ns, const std::function<bool(std::string_view)>& handled);
  void done(const Command& command, const CommandResult& result, int64_t now_ns);
  std::optional<int64_t> next_deadline_ns() const;  // back-off or confirmation that comes due

  // A person's wish: locate LED of that bay. Kept until switched off, whoever else holds it on; not
  // tied to a case.
  Result<void> locate(std::string_view bay, bool on);
  // On as long as any holder has not released it; what somebody wished by locate() stays.
  Result<void> hold_locate(std::string_view bay, std::string_view holder);
  std::vector<std::string> release_locate(std::string_view holder);  // the bays that it held
  std::set<std::string> locate_holders() const;
  std::vector<StateRow> take_changes();  // locate wishes, retirement history
  void mark_all_changed();               // the next take_changes() returns every row
  Result<void> restore(const std::vector<StateRow>& rows);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fmd
