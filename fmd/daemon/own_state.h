// OwnState: persistent state of the daemon itself besides cases and parts: the cursor of each
// source, and an administrator's choice of dry run. Rows "cursor" (plugin) and "setting". Single
// thread.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"

namespace fmd {

struct Cursor {         // a source's place, as committed
  std::string text;     // opaque
  std::string boot_id;  // of the machine when it was committed
};

StateRow cursor_row(const std::string& name, const Cursor& cursor);
StateRow dry_run_row(const std::optional<bool>& wish, std::string_view who);

struct OwnState {
  std::map<std::string, Cursor, std::less<>> cursors;  // by plugin name
  std::optional<bool> dry_run_wish;                    // goes before the file's

  std::vector<StateRow> all_rows() const;
  // Rows of other kinds are passed over. The error names what cannot be read; the rest is taken.
  Result<void> restore(const std::vector<StateRow>& rows);
};

}  // namespace fmd
