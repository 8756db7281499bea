// Opening: settings, migrations, checks, and the handling of damaged files.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "fmd/store/header.h"
#include "fmd/store/impl.h"
#include "fmd/store/migrations.h"

namespace fmd::store {

namespace {

uint64_t size_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

// Truncation that SQLite accepts: it takes an empty file for a new database (and deletes its log),
// and reads zeros after the end of a file whose last page was cut. After a crash, a log or journal
// explains odd sizes.
bool was_cut_off(const std::string& path) {
  if (!exists(path) || size_of(path + "-journal") > 0) return false;
  const uint64_t size = size_of(path);
  const bool has_log = size_of(path + "-wal") > 0;
  if (size < kPageBytes) return size > 0 || has_log;
  return size % kPageBytes != 0 && !has_log;
}

Result<void> configure(const Database& database, const StoreOptions& options) {
  sqlite3_busy_timeout(database.handle(), 250);  // for an old daemon that is just exiting
  // EXCLUSIVE keeps a second daemon out and needs no -shm file. auto_vacuum only affects a new
  // file, and would write to an old one, but a full disk must not prevent the start.
  if (const auto locked = database.run("PRAGMA locking_mode = EXCLUSIVE"); !locked) return locked;
  const auto pages = database.number("PRAGMA page_count");
  if (!pages) return tl::unexpected(pages.error());
  const std::string sql = fmt::format(
      "{} PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = "
      "67108864; "
      "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; {}",
      *pages == 0
          ? fmt::format("PRAGMA page_size = {}; PRAGMA auto_vacuum = INCREMENTAL;", kPageBytes)
          : "",
      options.max_pages > 0 ? fmt::format("PRAGMA max_page_count = {}", options.max_pages) : "");
  return database.run(sql);
}

std::string schema_of(const Database& database) {
  auto statement =
      database.prepare("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name");
  std::string all;
  while (statement && statement->step() == SQLITE_ROW)
    all += std::string(statement->data(0)) + ";\n";
  return all;
}

// If the tables are those of this format, differing numbers in the header are damage.
bool has_our_schema(const Database& database) {
  const auto model = Database::open_in_memory();
  if (!model) return false;
  for (const std::string_view one : migrations())
    if (!model->run(std::string(one))) return false;
  return schema_of(database) == schema_of(*model);
}

Result<void> refuse(std::string why, const std::string& path, OpenFailure& failure) {
  failure.refused = true;
  return tl::unexpected(Error{std::move(why), path, 0, true});
}

Result<void> migrate(const Database& database, OpenFailure& failure) {
  const auto format = database.number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  const auto application = database.number("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tl::unexpected(tables.error());
  const bool is_new = *format == 0 && *application == 0 && *tables == 0;
  const auto known = static_cast<int64_t>(migrations().size());
  const bool is_ours = *format == known && *application == kApplicationId;
  if (!is_new && !is_ours && has_our_schema(database)) {
    database.set_damaged();
    return fail("the header of the database is damaged", database.path());
  }
  if (!is_new && *application != kApplicationId)
    return refuse("it is a database of another program; move it away and start fmd again",
                  database.path(), failure);
  if (*format > known)
    return refuse(
        fmt::format(
            "a newer fmd wrote this database (format {}, this fmd knows {}); install that fmd "
            "again, or move the file away to begin with an empty one",
            *format, known),
        database.path(), failure);
  for (int64_t next = *format + 1; next <= known; ++next) {
    const auto done = database.run(fmt::format(
        "BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
        migrations()[static_cast<size_t>(next - 1)], kApplicationId, next));
    if (!done) {
      database.roll_back();
      return done;
    }
  }
  return {};
}

Result<void> check_part(const Database& database, std::string_view pragma) {
  auto statement = database.prepare(pragma);
  if (!statement) return tl::unexpected(statement.error());
  const int code = statement->step();
  if (code != SQLITE_ROW) return tl::unexpected(database.failure(code, "check"));
  if (statement->data(0) == "ok") return {};
  database.set_damaged();
  return fail(fmt::format("the database is damaged: {}", statement->data(0)), database.path());
}

// The small state must be right. The journal may be huge: it is checked here up to a size, and
// otherwise when it is read.
Result<void> check(const Database& database, const StoreOptions& options) {
  if (const auto good = check_part(database, "PRAGMA quick_check(state)"); !good) return good;
  const uint64_t size = size_of(database.path()) + size_of(database.path() + "-wal");
  if (size > options.check_bytes) return {};
  return check_part(database, "PRAGMA quick_check(1)");
}

}  // namespace

Result<Database> open_checked(const std::string& path, const StoreOptions& options,
                              OpenFailure& failure, bool create) {
  failure = {.damaged = was_cut_off(path)};
  if (failure.damaged) return fail("the database was cut off", path);
  // SQLite would open some of these, and then never write.
  failure.damaged = has_damaged_header(path);
  if (failure.damaged) return fail("the header of the database is damaged", path);
  auto database = Database::open(path, create);
  if (!database) return database;
  auto good = configure(*database, options);
  if (good) good = migrate(*database, failure);
  if (good) good = check(*database, options);
  if (good) return database;
  failure.damaged = database->is_damaged();
  failure.full = database->is_full();
  failure.refused = failure.refused || database->is_in_use();
  // Closing must not write to a file that is kept as evidence.
  if (failure.damaged)
    sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return tl::unexpected(good.error());
}

Result<Database> open_view(const std::string& path) {
  if (was_cut_off(path)) return fail("the database was cut off", path);
  auto database = Database::open_to_read(path);
  if (!database) return database;
  const auto format = database->number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  if (*format != static_cast<int64_t>(migrations().size()))
    return fail("the database is of another format", path);
  if (auto good = check_part(*database, "PRAGMA quick_check(state)"); !good)
    return tl::unexpected(good.error());
  return database;
}

Result<std::string> move_aside(const std::string& path, int64_t now_ns) {
  const time_t seconds = now_ns / 1'000'000'000;
  struct tm parts {};
  gmtime_r(&seconds, &parts);
  char stamp[32];
  strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &parts);
  const std::string wanted = fmt::format("{}.damaged-{}", path, stamp);
  std::string target = wanted;
  for (int next = 2; exists(target) || exists(target + "-wal"); ++next)
    target = fmt::format("{}-{}", wanted, next);
  // The log first: a crash in between leaves a database without its log, never a fresh database
  // with a foreign log.
  for (const char* suffix : {"-wal", "-journal", "-shm", ""}) {
    const std::string from = path + suffix;
    if (!exists(from)) continue;
    if (rename(from.c_str(), (target + suffix).c_str()) != 0)
      return fail(fmt::format("the database is damaged and cannot be moved aside to {}: {}",
                              target + suffix, strerror(errno)),
                  from);
  }
  return target;
}

namespace {
constexpr const char* kSuffixes[] = {"", "-wal", "-journal", "-shm"};
}

void move_back(const std::string& path, const std::string& aside) {
  remove(path);
  for (const char* suffix : kSuffixes)
    (void)rename((aside + suffix).c_str(), (path + suffix).c_str());
}

void remove(const std::string& path) {
  for (const char* suffix : kSuffixes) unlink((path + suffix).c_str());
}

}  // namespace fmd::store

namespace fmd {

using store::Database;

Result<void> Store::Impl::adopt(Database opened) {
  statements = {};
  merge.reset();
  database.emplace(std::move(opened));
  auto insert = database->prepare(store::kInsertBlock);
  if (!insert) return tl::unexpected(insert.error());
  auto insert_readings = database->prepare(store::kInsertReadings);
  if (!insert_readings) return tl::unexpected(insert_readings.error());
  auto put = database->prepare(store::kPutRow);
  if (!put) return tl::unexpected(put.error());
  auto erase = database->prepare("DELETE FROM state WHERE kind = ? AND key = ?");
  if (!erase) return tl::unexpected(erase.error());
  statements = {std::move(*insert), std::move(*insert_readings), std::move(*put),
                std::move(*erase)};
  const auto last = database->number("SELECT last_seq FROM block ORDER BY first_seq DESC LIMIT 1");
  if (!last) return tl::unexpected(last.error());
  last_seq = static_cast<uint64_t>(*last);
  auto names = store::MachineNames::load(*database);
  if (!names) return tl::unexpected(names.error());
  machine = std::move(*names);
  full = false;
  return {};
}

// A file that was read at the start and has disappeared is an error; no new one is created.
Result<Database> Store::Impl::open_file(store::OpenFailure& failure) {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (!was_read && mkdir(folder.c_str(), 0750) != 0 && errno != EEXIST) {
    full = failure.full = errno == ENOSPC || errno == EDQUOT;
    return fail(fmt::format("the folder for the database cannot be made: {}", strerror(errno)),
                folder);
  }
  return open_at(path, !was_read, failure);
}

Result<Database> Store::Impl::open_at(const std::string& where, bool create,
                                      store::OpenFailure& failure) {
  auto opened = store::open_checked(where, options, failure, create);
  if (!opened && failure.full && reserve.give_up())
    opened = store::open_checked(where, options, failure, create);
  full = !opened && failure.full;
  return opened;
}

// Done before the file is moved: a crash in between would leave no file, and hide the damage.
Result<void> Store::Impl::try_fresh() {
  const std::string probe = path + ".probe";
  store::remove(probe);
  store::OpenFailure failure;
  Result<void> outcome;
  if (const auto fresh = open_at(probe, true, failure); !fresh)
    outcome = fail(fmt::format("the database is damaged and none can be made in its place: {}",
                               fresh.error().message),
                   path);
  store::remove(probe);
  return outcome;
}

Result<void> Store::Impl::open(int64_t now_ns) {
  store::OpenFailure failure;
  auto opened = open_file(failure);
  if (opened) {
    auto adopted = adopt(std::move(*opened));
    if (adopted) return adopted;
    failure.damaged = database->is_damaged();
    opened = tl::unexpected(adopted.error());
  }
  if (failure.refused) return tl::unexpected(opened.error());
  if (!failure.damaged) return stand_in(opened.error());
  if (auto replaced = replace(now_ns, std::nullopt); !replaced) return stand_in(replaced.error());
  return {};
}

Result<void> Store::Impl::replace(int64_t now_ns, std::optional<uint64_t> known_seq) {
  if (auto possible = try_fresh(); !possible) return possible;
  statements = {};
  if (database) {
    sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    database.reset();
  }
  auto aside = store::move_aside(path, now_ns);
  if (!aside) return tl::unexpected(aside.error());
  store::OpenFailure failure;
  auto fresh = open_at(path, true, failure);
  if (!fresh) {
    store::move_back(path, *aside);  // otherwise its data would be forgotten
    return tl::unexpected(fresh.error());
  }
  moved_aside = *aside;
  salvaged = store::salvage(moved_aside, *fresh, options, known_seq, now_ns);
  const store::MachineNames known = machine;  // from memory while fmd runs; otherwise salvaged
  if (auto saved = known.save(*fresh); !saved) return saved;
  return adopt(std::move(*fresh));
}

Result<std::unique_ptr<Store>> Store::open(const std::string& dir, int64_t now_ns) {
  return open(dir, now_ns, StoreOptions());
}

Result<std::unique_ptr<Store>> Store::open(const std::string& dir, int64_t now_ns,
                                           const StoreOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->path = dir + "/fmd.db";
  impl->options = options;
  impl->reserve = store::Reserve(impl->path + ".reserve", options.reserve_bytes);
  const auto opened = impl->open(now_ns);
  if (!opened) return tl::unexpected(opened.error());
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Result<void> Store::replace_damaged(int64_t now_ns) {
  return impl_->replace(now_ns, impl_->unopened ? std::nullopt : std::optional(impl_->last_seq));
}

}  // namespace fmd
