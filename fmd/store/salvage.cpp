// Salvage: copies what can be read of a damaged file into the fresh one: the state row by row, and
// the newest part of the journal and readings. The rest stays in the file that was moved aside.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "fmd/base/on_demand.h"
#include "fmd/store/header.h"
#include "fmd/store/impl.h"

namespace fmd::store {

namespace {

struct Salvaged {
  uint64_t rows = 0, events = 0, readings = 0, last_seq = 0;
};

// Makes a damaged file readable while it exists: pads it with zeros to the length in its header, and
// corrects the header's fixed fields. SQLite would refuse the file otherwise.
class Readable {
 public:
  explicit Readable(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || fstat(file_, &status) != 0) return;
    std::string header(kHeaderBytes, '\0');
    if (pread(file_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
      return;
    size_ = status.st_size;
    header_ = header;
    set_fixed_fields(header);
    off_t pages = 0;
    for (size_t i = kPageCountAt; i < kPageCountAt + 4; ++i)
      pages = pages * 256 + static_cast<unsigned char>(header[i]);
    const off_t wanted = pages * off_t{kPageBytes};
    const bool is_padded = wanted > size_ && wanted <= size_ + kMostLacking;
    if (is_padded && ftruncate(file_, wanted) != 0) return;
    // With 0, SQLite takes the number of pages from the file's size.
    if (!is_padded && wanted != size_) header.replace(kPageCountAt, 4, 4, '\0');
    if (header != header_) (void)!pwrite(file_, header.data(), header.size(), 0);
  }
  ~Readable() {
    // If this fails, the file that was moved aside keeps the zeros and this header.
    if (!header_.empty()) {
      (void)!pwrite(file_, header_.data(), header_.size(), 0);
      (void)!ftruncate(file_, size_);
    }
    if (file_ >= 0) close(file_);
  }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

 private:
  static constexpr off_t kMostLacking = off_t{64} << 30;  // sparse, so it takes no space
  int file_;
  off_t size_ = 0;
  std::string header_;  // the damaged one, to be restored; "" if the file was not changed
};

// The kinds, read from both ends. Bounded, because a damaged index may contain a cycle.
constexpr size_t kMostKinds = 1000;

std::set<std::string> kinds_in(const Database& old) {
  std::set<std::string> kinds;
  for (const auto& [next, beyond] : {std::pair{"SELECT min(kind) FROM state WHERE kind > ?", ""},
                                     {"SELECT max(kind) FROM state WHERE kind < ?", "\x7f"}}) {
    auto statement = old.prepare(next);
    if (!statement) continue;
    std::string kind = beyond;
    while (kinds.size() < kMostKinds) {
      statement->bind(1, std::string_view(kind));
      if (statement->step() != SQLITE_ROW || statement->data(0).empty()) break;
      kind = std::string(statement->data(0));
      statement->reset();
      kinds.insert(kind);
    }
  }
  return kinds;
}

// Reads each kind from both ends until damage stops it, to reach the rows on both sides. INSERT OR
// IGNORE allows a row to be read twice.
void salvage_kind(const Database& old, const Database& fresh, const std::string& of_kind,
                  Salvaged& found) {
  auto insert = fresh.prepare("INSERT OR IGNORE INTO state (kind, key, doc) VALUES (?,?,?)");
  if (!insert) return;
  for (const char* order : {"ASC", "DESC"}) {
    auto rows = old.prepare(
        fmt::format("SELECT kind, key, doc FROM state WHERE kind = ? ORDER BY key {}", order));
    if (!rows) continue;
    rows->bind(1, of_kind);
    int code = SQLITE_ROW;
    while ((code = rows->step()) == SQLITE_ROW) {
      const auto kind = rows->data(0), key = rows->data(1), doc = rows->data(2);
      // Zeros of a missing page are not content.
      if (doc.empty() || doc.find('\0') != doc.npos || !simdjson::validate_utf8(doc)) continue;
      insert->bind(1, kind).bind(2, key).bind(3, doc);
      if (fresh.finish(*insert, "write"))
        found.rows += static_cast<uint64_t>(sqlite3_changes(fresh.handle()));
    }
    if (code == SQLITE_DONE) return;
  }
}

struct Reachable {
  std::vector<int64_t> first_seqs;  // of blocks, newest first
  bool newest = false;              // whether the newest block is included
};

// From both ends, each until damage stops it.
Reachable blocks_in(const Database& old) {
  std::set<int64_t, std::greater<>> found;
  Reachable out;
  for (const bool newest_first : {true, false}) {
    auto rows = old.prepare(fmt::format("SELECT first_seq FROM block ORDER BY first_seq {}",
                                        newest_first ? "DESC" : "ASC"));
    int code = SQLITE_ERROR;
    while (rows && (code = rows->step()) == SQLITE_ROW) found.insert(rows->integer(0));
    if (newest_first) out.newest = !found.empty();
    if (code == SQLITE_DONE) break;
  }
  out.first_seqs = {found.begin(), found.end()};
  return out;
}

// Copies the newest blocks, up to a size, so that the open cases keep their evidence. Only blocks
// that can be unpacked.
void salvage_blocks(const Database& old, const Database& fresh, uint64_t max_bytes,
                    Salvaged& found) {
  auto insert = fresh.prepare(kInsertBlock);
  auto one =
      old.prepare(fmt::format("SELECT {}, data FROM block WHERE first_seq = ?", kBlockColumns));
  if (!insert || !one) return;
  BlockCodec codec;
  std::string lines;
  uint64_t before = INT64_MAX, taken = 0;
  const Reachable blocks = blocks_in(old);
  for (const int64_t first_seq : blocks.first_seqs) {
    if (taken >= max_bytes) return;
    one->reset();
    one->bind(1, first_seq);
    if (one->step() != SQLITE_ROW) continue;
    BlockRow row = row_of(*one);
    const std::string data(one->data(6));
    // A row with impossible numbers is damaged.
    if (row.first_seq == 0 || row.last_seq < row.first_seq || row.last_seq >= before) continue;
    before = row.first_seq;
    // Only the newest block has the last number; events after an older one may be lost.
    if (blocks.newest && first_seq == blocks.first_seqs.front()) found.last_seq = row.last_seq;
    lines.clear();
    if (row.count == 0 || !codec.unpack(data, lines)) continue;
    taken += data.size();
    if (insert_block(fresh, *insert, row, data)) found.events += row.count;
  }
}

// Copies the newest blocks that can be unpacked, until damage stops it. Nothing refers to blocks of
// readings, so the rest is not searched for.
void salvage_readings(const Database& old, const Database& fresh, uint64_t max_bytes,
                      Salvaged& found) {
  auto insert = fresh.prepare(kInsertReadings);
  auto rows = old.prepare(
      "SELECT from_ns, to_ns, first_resource, last_resource, count, sealed, bytes, data FROM "
      "readings "
      "ORDER BY id DESC");
  if (!insert || !rows) return;
  BlockCodec codec;
  std::string bytes;
  for (uint64_t taken = 0; taken < max_bytes && rows->step() == SQLITE_ROW;) {
    const auto first = rows->data(2), last = rows->data(3), data = rows->data(7);
    const bool good = simdjson::validate_utf8(first) && simdjson::validate_utf8(last) &&
                      rows->integer(4) > 0 && static_cast<size_t>(rows->integer(6)) == data.size();
    bytes.clear();
    if (!good || !codec.unpack(data, bytes)) continue;
    taken += data.size();
    for (const int column : {0, 1, 4, 5, 6}) insert->bind(column + 1, rows->integer(column));
    insert->bind(3, first).bind(4, last).bind_data(8, data);
    if (fresh.finish(*insert, "write")) found.readings += static_cast<uint64_t>(rows->integer(4));
  }
}

// Event numbers are never reused, because old cases name them as evidence. If the newest events are
// lost, an empty block reserves their numbers; if even the last number is unknown, the milliseconds
// since the epoch are larger.
void hold_place(const Database& fresh, const Salvaged& found, std::optional<uint64_t> known_seq,
                int64_t now_ns) {
  const auto last = fresh.number("SELECT last_seq FROM block ORDER BY first_seq DESC LIMIT 1");
  uint64_t place = std::max(found.last_seq, known_seq.value_or(0));
  if (place == 0 && !known_seq) place = static_cast<uint64_t>(now_ns / 1'000'000);
  if (!last || static_cast<uint64_t>(*last) >= place) return;
  auto insert = fresh.prepare(kInsertBlock);
  if (!insert) return;
  const BlockRow row{place, place, now_ns, now_ns, 0, true};
  (void)insert_block(fresh, *insert, row, "");
}

}  // namespace

std::string salvage(const std::string& damaged_path, const Database& fresh,
                    const StoreOptions& options, std::optional<uint64_t> known_seq,
                    int64_t now_ns) {
  struct stat status {};
  // SQLite would take an empty file for a new database and delete its log.
  const bool has_content = stat(damaged_path.c_str(), &status) == 0 && status.st_size >= 4096;
  Salvaged found;
  if (!has_content) {
    hold_place(fresh, found, known_seq, now_ns);
    return "nothing of it could be read";
  }
  const Readable readable(damaged_path);
  auto old = Database::open(damaged_path);
  if (!old) return "nothing of it could be read";
  // The damaged file is evidence: it is read with its log, and never written.
  sqlite3_db_config(old->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (!old->run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON") ||
      !fresh.run("BEGIN IMMEDIATE")) {
    hold_place(fresh, found, known_seq, now_ns);
    return "nothing of it could be read";
  }
  for (const std::string& kind : kinds_in(*old)) salvage_kind(*old, fresh, kind, found);
  salvage_blocks(*old, fresh, options.salvage_bytes, found);
  salvage_readings(*old, fresh, options.salvage_bytes, found);
  hold_place(fresh, found, known_seq, now_ns);
  if (!fresh.run("COMMIT")) {
    fresh.roll_back();
    return "nothing of it could be taken over";
  }
  return fmt::format(
      "{} entries of the state, {} events and {} readings could be read and were taken over",
      found.rows, found.events, found.readings);
}

}  // namespace fmd::store
