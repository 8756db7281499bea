// OwnState: persistent state of the daemon itself besides cases and parts: the cursor of each
// source, when the database begins, and an administrator's choice of dry run. Rows "cursor" (plugin)
// and "setting". Single thread.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"

namespace fmd {

struct Cursor {                // a source's place, as committed
  std::string text;            // opaque
  std::string boot_id;         // of the machine when it was committed
  int64_t counts_from_ns = 0;  // wall: earlier events of the source are no evidence; 0 all are
};

StateRow cursor_row(const std::string& name, const Cursor& cursor);
StateRow begins_row(int64_t begins_ns, int64_t evidence_from_ns);
StateRow dry_run_row(const std::optional<bool>& wish, std::string_view who);

struct OwnState {
  std::map<std::string, Cursor, std::less<>> cursors;  // by plugin name
  std::optional<bool> dry_run_wish;                    // goes before the file's
  // Wall: when the database was new, or was salvaged from a damaged one. What was before may be missing. 0: of an
  // earlier version, which did not note it.
  int64_t begins_ns = 0;
  // Wall: the same after the loss of a damaged database, in which older events may have been judged already. 0: they count.
  int64_t evidence_from_ns = 0;

  int64_t counts_from_ns(const std::string& source) const;  // of the cursor, else evidence_from_ns

  std::vector<StateRow> all_rows() const;
  // Rows of other kinds are passed over. The error names what cannot be read; the rest is taken.
  Result<void> restore(const std::vector<StateRow>& rows);
};

}  // namespace fmd
