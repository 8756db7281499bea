// Store: all of fmd's persistent data in one SQLite file (WAL, STRICT tables, one writer).
//   state     small current state, rows (kind, key) → JSON: cases, SERD engines, holds, cursors …
//   block     the event journal: compressed blocks of events as JSON lines, never a row per event
//   readings  the plugins' measurements: compressed blocks of columns, never a row per reading
// commit() is one transaction: after a crash all of it is there, or none; it has reached the disk
// (fsync) when commit() returns. The file is locked while it is open: one daemon, one writer.
// Single thread. Errors: the text names the file and what to do; is_full() distinguishes a full
// disk.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/model/event_list.h"
#include "fmd/model/reading.h"
#include "fmd/store/compression.h"
#include "fmd/store/pack_cost.h"
#include "fmd/store/seal_work.h"

namespace fmd {

struct Batch {
  EventList events;            // seq ascending, continuing the journal
  std::vector<StateRow> rows;  // later rows win; empty doc deletes
  std::vector<Reading> readings = {};
  bool empty() const { return events.empty() && rows.empty() && readings.empty(); }
};

struct EventQuery {
  uint64_t after_seq = 0;                           // only seq > this
  std::optional<int64_t> from_ns = {}, to_ns = {};  // event time, inclusive
  std::string class_glob = {};                      // "" all; exact, or "ereport.*" style
  std::string resource = {};                        // FMRI; "" all
  std::vector<uint64_t> seqs = {};                  // only these, when not empty
  uint64_t limit = UINT64_MAX;
  uint64_t look_at = UINT64_MAX;  // so many events, given out or not
};
// Where each_event() ended: everything up to seq was looked at, and there may be more.
struct EventReach {
  uint64_t seq = 0;
  bool more = false;
};

struct ReadingQuery {
  std::string resource;                             // FMRI
  std::vector<std::string> names = {};              // or globs; all when empty
  std::optional<int64_t> from_ns = {}, to_ns = {};  // inclusive, to the millisecond
  std::string first_name = {};                      // only names from there on
};

struct ReadingPoint {
  int64_t time_ns = 0;
  double value = 0;
};
struct ReadingSeries {
  std::string name, unit;
  std::vector<ReadingPoint> points;  // in time order, at least one
};
struct ReadingHistory {
  std::vector<ReadingSeries> series;  // by name
  std::string damage;                 // a part cannot be read; "" all is there
  std::string next_name = {};  // of the first series that this has no room for; "" these are all
};

struct StoreStats {
  uint64_t events = 0, last_seq = 0, blocks = 0, unsealed_blocks = 0;
  uint64_t journal_bytes = 0,
           file_bytes = 0;  // journal: compressed events; file: with its write-ahead log
  PackCost packed, sealed;  // since the start: what was committed, with readings; what was sealed
  uint64_t readings = 0, reading_blocks = 0, readings_bytes = 0;  // compressed
};

struct StoreOptions {
  uint64_t max_pages = 0;  // the file's limit in pages of 4096 bytes; 0: the disk is the limit
  uint64_t check_bytes =
      64 << 20;  // a larger file has only its state checked at open, not its journal
  // At most that much journal is taken over from a damaged file, and as much of the readings.
  uint64_t salvage_bytes = 64 << 20;
  uint64_t reserve_bytes = 0;  // kept free for the day on which the disk is full
  Compression compression = {};
  // So many readings, or blocks of them, wait to be merged.
  uint64_t merge_readings = 250'000, merge_blocks = 8192;
};

class Store {
 public:
  // Creates, migrates or opens DIR/fmd.db. A damaged file is moved aside to fmd.db.damaged-<time>
  // (never deleted) and a fresh one is made, with what could still be read of the old one:
  // moved_aside() then names it (the daemon makes that a case).
  // A file that the disk does not let open (full, read-only, broken) is no error: unopened() says why,
  // what can be read of it is there, and each commit tries to open it first. An error: another process
  // has it, or (Error::permanent) it is of a newer format or another program's.
  static Result<std::unique_ptr<Store>> open(const std::string& dir, int64_t now_ns);
  static Result<std::unique_ptr<Store>> open(const std::string& dir, int64_t now_ns,
                                             const StoreOptions& options);
  ~Store();

  // The machine's name in FMRIs (fmd/base/machine_id.h). Of a store written under another name all is
  // about this one from now on, the journal and the readings too. Before anything is read.
  Result<void> name_machine(const std::string& name);

  // Events must have ascending seq above last_seq(), else nothing is stored and it is an error.
  Result<void> commit(const Batch& batch);
  const std::optional<Error>& unopened() const;
  // The file could be opened at last, and holds what could not be read at the start. Nothing more is
  // committed: start again.
  bool is_unread() const;
  // True when the last failed commit failed for want of space (SQLITE_FULL or ENOSPC/EDQUOT/EFBIG).
  bool is_full() const;
  // The disk was full, and what has been written since stands in the space that was kept for that: it
  // is not free again yet.
  bool lives_on_reserve() const;
  // True when a call met damage in the file. Call replace_damaged(), then commit the failed batch
  // again.
  bool is_damaged() const;
  // Moves the file aside and goes on with a fresh one, as open() does.
  Result<void> replace_damaged(int64_t now_ns);
  const std::string& moved_aside() const;  // path of the last damaged file; "" none since open()
  const std::string& salvage() const;      // a sentence: what was taken over from it; "" none

  Result<std::vector<StateRow>> load_state(
      std::string_view kind = {}) const;  // all kinds when empty
  uint64_t last_seq() const;
  // In seq order; fn returns false to stop, and may commit. Payload members are not parsed, only
  // payload_json. A damaged part is left out, all others are handed out, and then it is an error
  // that says what is missing.
  Result<void> each_event(const EventQuery& query, const std::function<bool(const Event&)>& fn,
                          EventReach* reach = nullptr) const;

  void set_compression(const Compression& compression);  // of what is written from now on

  // What one part measured. An error: the database cannot be read, or there is too much for one
  // answer.
  Result<ReadingHistory> readings(const ReadingQuery& query) const;

  // Merges small blocks into sealed ones (~1000 events, ~8000 readings), and packs them as they are
  // kept; call when idle: one call is milliseconds of work. Returns true when work may be left.
  Result<bool> seal_some();
  // The same in two steps, and what the first gives is packed in between, by any thread. Nothing is
  // gone before the second has put it back; what has changed meanwhile stays as it is.
  Result<SealStep> begin_sealing();
  Result<void> end_sealing(const SealWork& work);
  // Drops the oldest blocks beyond age or size. Blocks wholly older than keep_from_ns go. The
  // newest block stays, so that the numbering goes on; so does what is newer than that event.
  Result<void> retain(int64_t keep_from_ns, uint64_t max_journal_bytes,
                      uint64_t up_to_seq = INT64_MAX);
  // Drops the blocks of readings that are wholly older, and the oldest beyond the size. Space is
  // given back by retain().
  Result<void> retain_readings(int64_t keep_from_ns, uint64_t max_bytes);
  StoreStats stats() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Journal line:
// {"seq":..,"class":..,"resource":..,"time":..,"received":..,"ena":..,"source":..,"payload":{..}}
std::string event_to_line(const Event& event);
Result<Event> event_from_line(std::string_view line);

}  // namespace fmd
