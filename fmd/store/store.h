// Store: everything fmd must not forget, in one SQLite file (WAL, STRICT tables, one writer).
//   state  small current state, rows (kind, key) → JSON: cases, SERD engines, holds, resources, cursors, outbox
//   block  the event journal: blocks of events as JSON lines, zstd compressed, never a row per event
// commit() is one transaction: what it holds is all there after a crash, or not at all.
// Single thread. Errors: Error text says which file and what to do; is_full() tells a full disk apart.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/core/engine.h"
#include "fmd/core/event.h"
#include "fmd/core/result.h"

struct sqlite3;

namespace fmd {

struct Batch {
  std::vector<Event> events;    // seq ascending, continuing the journal
  std::vector<StateRow> rows;   // later rows win; empty doc deletes
  bool empty() const { return events.empty() && rows.empty(); }
};

struct EventQuery {
  uint64_t after_seq = 0;                      // only seq > this
  std::optional<int64_t> from_ns, to_ns;       // event time, inclusive
  std::string class_glob;                      // "" all; exact, or "ereport.*" style
  std::vector<uint64_t> seqs;                  // only these, when not empty
  uint64_t limit = UINT64_MAX;
};

struct StoreStats {
  uint64_t events = 0, last_seq = 0, blocks = 0, unsealed_blocks = 0, journal_bytes = 0, file_bytes = 0;
};

class Store {
 public:
  // Creates, migrates or opens DIR/fmd.db. A damaged file is moved aside to fmd.db.damaged-<time> and a
  // fresh one is made: moved_aside() then names it (the daemon makes that a case).
  static Result<std::unique_ptr<Store>> open(const std::string& dir, int64_t now_ns);
  ~Store();

  Result<void> commit(const Batch& batch);
  // True when the last failed commit failed for want of space (SQLITE_FULL or ENOSPC/EDQUOT).
  bool is_full() const;
  const std::string& moved_aside() const;

  Result<std::vector<StateRow>> load_state(std::string_view kind = {}) const;  // all kinds when empty
  uint64_t last_seq() const;
  // In seq order; fn returns false to stop. Payload members are not parsed, only payload_json.
  Result<void> each_event(const EventQuery& query, const std::function<bool(const Event&)>& fn) const;

  // Merges small blocks into sealed ones of ~1000 events; call when idle. Returns true when work is left.
  Result<bool> seal_some();
  // Drops the oldest blocks beyond age or size. Blocks wholly older than keep_from_ns go.
  Result<void> retain(int64_t keep_from_ns, uint64_t max_journal_bytes);
  StoreStats stats() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Journal line: {"seq":..,"class":..,"resource":..,"time":..,"received":..,"ena":..,"source":..,"payload":{..}}
std::string event_to_line(const Event& event);
Result<Event> event_from_line(std::string_view line);

}  // namespace fmd
