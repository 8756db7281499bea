// Store: all of fmd's persistent data in one SQLite file (WAL, STRICT tables, one writer).
//   state     small current state, rows (kind, key) → JSON: cases, SERD engines, holds, cursors …
//   block     the event journal: compressed blocks of events as JSON lines, never a row per event
//   readings  the plugins' measurements: compressed blocks of columns, never a row per reading
// commit() is one transaction: after a crash it is there completely or not at all, and it is on
// disk (fsync) when commit() returns. The file is locked while open: one daemon, one writer. Single
// thread. Errors name the file and what to do; is_full() distinguishes a full disk.
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
  uint64_t after_seq = 0;                           // exclusive
  std::optional<int64_t> from_ns = {}, to_ns = {};  // event time, inclusive
  std::string class_glob = {};                      // "" all; exact, or like "ereport.*"
  std::string resource = {};                        // FMRI; "" all
  std::vector<uint64_t> seqs = {};                  // only these, if not empty
  uint64_t limit = UINT64_MAX;
  uint64_t look_at = UINT64_MAX;  // maximum of events examined, matching or not
};
// Where each_event() stopped: all events up to seq were examined; there may be more.
struct EventReach {
  uint64_t seq = 0;
  bool more = false;
};

struct ReadingQuery {
  std::string resource;                             // FMRI
  std::vector<std::string> names = {};              // or globs; all if empty
  std::optional<int64_t> from_ns = {}, to_ns = {};  // inclusive, to the millisecond
  std::string first_name = {};                      // only this name and later ones
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
  std::string damage;                 // "" if all could be read
  std::string next_name = {};         // first series for which there was no room; "" if complete
};

struct StoreStats {
  uint64_t events = 0, last_seq = 0, blocks = 0, unsealed_blocks = 0;
  uint64_t journal_bytes = 0,
           file_bytes = 0;  // journal: compressed events; file: with its write-ahead log
  PackCost packed, sealed;  // since the start: committed data with readings; sealed data
  uint64_t readings = 0, reading_blocks = 0, readings_bytes = 0;  // compressed
};

struct StoreOptions {
  uint64_t max_pages = 0;  // file limit in pages of 4096 bytes; 0: none
  uint64_t check_bytes =
      64 << 20;  // in larger files only the state is checked at open, not the journal
  // Maximum of journal taken over from a damaged file, and of readings.
  uint64_t salvage_bytes = 64 << 20;
  uint64_t reserve_bytes = 0;  // reserved for a full disk
  Compression compression = {};
  // Merging starts at this number of readings or blocks.
  uint64_t merge_readings = 250'000, merge_blocks = 8192;
};

class Store {
 public:
  // Creates, migrates or opens DIR/fmd.db. A damaged file is moved aside to fmd.db.damaged-<time>
  // (never deleted) and replaced by a fresh one with all data that could be read; moved_aside()
  // then names it (the daemon opens a case). If the file cannot be opened (disk full, read-only or
  // broken), open() succeeds: unopened() has the reason, readable data is available, and each
  // commit first tries to open it. An error: another process has it open, or (Error::permanent) it
  // has a newer format or belongs to another program.
  static Result<std::unique_ptr<Store>> open(const std::string& dir, int64_t now_ns);
  static Result<std::unique_ptr<Store>> open(const std::string& dir, int64_t now_ns,
                                             const StoreOptions& options);
  ~Store();

  // Sets the machine's name in FMRIs (fmd/base/machine_id.h). If the store was written under
  // another name, state, journal and readings are then about this one. Call before reading.
  Result<void> name_machine(const std::string& name);

  // Events need ascending seq above last_seq(), otherwise nothing is stored and it is an error.
  Result<void> commit(const Batch& batch);
  const std::optional<Error>& unopened() const;
  // The file can now be opened and has data that was unreadable at the start. It accepts no
  // commits: restart fmd.
  bool is_unread() const;
  // Whether the last failed commit failed for lack of space (SQLITE_FULL or ENOSPC/EDQUOT/EFBIG).
  bool is_full() const;
  // The disk was full, the reserve was used for the last commits, and has not been restored yet.
  bool lives_on_reserve() const;
  // Whether a call found damage in the file. Call replace_damaged(), then repeat the failed commit.
  bool is_damaged() const;
  // Moves the file aside and continues with a fresh one, as open() does.
  Result<void> replace_damaged(int64_t now_ns);
  const std::string& moved_aside() const;  // path of the last damaged file; "" none since open()
  const std::string& salvage() const;      // a sentence on what was taken over from it, or ""

  Result<std::vector<StateRow>> load_state(std::string_view kind = {}) const;  // "": all kinds
  uint64_t last_seq() const;
  // In seq order. fn returns false to stop, and may commit. Payload members are not parsed, only
  // payload_json. Skips damaged parts, and then returns an error that says what is missing.
  Result<void> each_event(const EventQuery& query, const std::function<bool(const Event&)>& fn,
                          EventReach* reach = nullptr) const;

  void set_compression(const Compression& compression);  // for later writes

  // The readings of one part. An error: the database is unreadable, or there are too many readings
  // for one answer.
  Result<ReadingHistory> readings(const ReadingQuery& query) const;

  // Merges small blocks into sealed ones (~1000 events, ~8000 readings) with the final compression.
  // Call when idle: one call is milliseconds of work. True: work may be left.
  Result<bool> seal_some();
  // The same in two steps; between them any thread packs the work. The old blocks stay until the
  // second step replaces them, unless they have changed meanwhile.
  Result<SealStep> begin_sealing();
  Result<void> end_sealing(const SealWork& work);
  // Drops the oldest blocks beyond age or size. By age, only blocks wholly older than keep_from_ns.
  // Keeps the newest block, for the numbering, and everything newer than up_to_seq.
  Result<void> retain(int64_t keep_from_ns, uint64_t max_journal_bytes,
                      uint64_t up_to_seq = INT64_MAX);
  // Drops wholly older blocks of readings, and the oldest beyond the size. retain() gives the space
  // back to the file system.
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
