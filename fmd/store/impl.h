// The parts of a Store. Internal to the store.
#pragma once
#include <optional>
#include <string>

#include "fmd/store/block.h"
#include "fmd/store/block_row.h"
#include "fmd/store/database.h"
#include "fmd/store/journal_line.h"
#include "fmd/store/machine.h"
#include "fmd/store/readings.h"
#include "fmd/store/reserve.h"
#include "fmd/store/store.h"

namespace fmd {

namespace store {

inline constexpr std::string_view kBlockColumns =
    "first_seq, last_seq, from_ns, to_ns, count, sealed";
BlockRow row_of(const Statement& statement);  // for a SELECT that begins with kBlockColumns

struct Statements {
  Statement insert_block, insert_readings, put_row, delete_row;
};

struct OpenFailure {
  bool damaged = false;  // move it aside
  bool full = false;     // no space
  bool refused = false;  // in use by another process, or not this fmd's: retries are useless
};
// Opens DIR/fmd.db with fmd's settings, migrates and checks it.
Result<Database> open_checked(const std::string& path, const StoreOptions& options,
                              OpenFailure& failure, bool create = true);
// Opens a file that open_checked() refuses, read-only. An error if it has another format.
Result<Database> open_view(const std::string& path);
// Moves the database and its -wal and -shm aside; returns the new name.
Result<std::string> move_aside(const std::string& path, int64_t now_ns);
// Undoes move_aside(). Deletes any new file in its place.
void move_back(const std::string& path, const std::string& aside);
void remove(const std::string& path);  // a database with its log
// Copies what can be read of the damaged file into the fresh database; returns a description for
// people. known_seq: the last event number; 0: none; nothing: this process does not know. Numbering
// continues after it.
std::string salvage(const std::string& damaged_path, const Database& fresh,
                    const StoreOptions& options, std::optional<uint64_t> known_seq, int64_t now_ns);
Result<void> insert_block(const Database& database, Statement& insert, const BlockRow& row,
                          std::string_view data);

inline constexpr std::string_view kInsertBlock =
    "INSERT INTO block (first_seq, last_seq, from_ns, to_ns, count, sealed, bytes, data) "
    "VALUES (?,?,?,?,?,?,?,?)";
inline constexpr std::string_view kPutRow =
    "INSERT INTO state (kind, key, doc) VALUES (?,?,?) "
    "ON CONFLICT (kind, key) DO UPDATE SET doc = excluded.doc";

}  // namespace store

struct Store::Impl {
  std::string path;
  StoreOptions options;
  std::optional<store::Database> database;
  store::Statements statements;  // after database: finalized before it closes
  store::MachineNames machine;
  store::Reserve reserve;
  store::BlockCodec codec;
  PackCost sealed;  // by sealing
  store::LineParser parser;
  std::string lines;                          // a block's text, reused
  std::optional<store::ReadingsMerge> merge;  // in progress
  uint64_t last_seq = 0;
  bool full = false;
  std::string moved_aside, salvaged;

  // Why the file cannot be opened. The database is then a read-only view of the file, or empty.
  std::optional<Error> unopened;
  bool was_read = false;  // the file could be read at the start
  struct Seen {
    uint64_t last_seq = 0;
    int64_t rows = 0;
    bool operator==(const Seen&) const = default;
  };
  Seen seen;
  bool unread = false;      // can be opened or replaced now, and has more than was seen
  std::string wanted_name;  // the machine's name, to be set once it is open

  Result<void> open(int64_t now_ns);  // moves a damaged file aside
  Result<store::Database> open_file(store::OpenFailure& failure);
  Result<store::Database> open_at(const std::string& where, bool create,
                                  store::OpenFailure& failure);
  Result<void> try_fresh();          // checks that a new file could be created
  Result<void> stand_in(Error why);  // uses a view instead
  Result<bool> look();               // whether the file can be read
  Result<Seen> count() const;
  Result<void> open_late();
  Result<void> take_up(store::Database opened, store::OpenFailure& failure);
  // Moves the file aside, opens a fresh one, salvages. known_seq: the last event's number; nothing
  // if no database could be read.
  Result<void> replace(int64_t now_ns, std::optional<uint64_t> known_seq);
  Result<void> adopt(store::Database opened);
  Result<void> write(const Batch& batch);  // one transaction; on disk when it returns
  Result<void> write_events(const EventList& events);
  Result<void> write_readings(const std::vector<Reading>& readings);
  Result<bool> merge_readings();
  Result<void> write_rows(const std::vector<StateRow>& rows);
  void give_room_back();  // frees buffers of writing and reading
  Result<void> transact(const std::function<Result<void>()>& work);
};

}  // namespace fmd
