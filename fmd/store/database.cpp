#include "fmd/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

namespace fmd::store {

void Statement::Finalize::operator()(sqlite3_stmt* handle) const {
  sqlite3_finalize(handle);
}

Statement& Statement::bind(int parameter, int64_t value) {
  sqlite3_bind_int64(handle_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // An empty view may have a null pointer, which would bind NULL.
  sqlite3_bind_text64(handle_.get(), parameter, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_data(int parameter, std::string_view data) {
  sqlite3_bind_blob64(handle_.get(), parameter, data.empty() ? "" : data.data(), data.size(),
                      SQLITE_STATIC);
  return *this;
}

int Statement::step() {
  return sqlite3_step(handle_.get());
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

std::string_view Statement::data(int column) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : static_cast<size_t>(size)};
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Result<Database> Database::open(const std::string& path, bool create) {
  return open_with(path, path, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
}

namespace {

// https://sqlite.org/uri.html
std::string immutable_uri(std::string_view path) {
  std::string uri = "file:";
  for (const char c : path)
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    else
      uri += c;
  return uri + "?immutable=1";
}

}  // namespace

// A read-only log requires an exclusive lock, which needs write permission: so no locks.
Result<Database> Database::open_to_read(const std::string& path) {
  // Without a log, SQLite would try to create it.
  const bool has_log = access((path + "-wal").c_str(), F_OK) == 0;
  auto database = open_with(path, has_log ? path : immutable_uri(path),
                            SQLITE_OPEN_READONLY | (has_log ? 0 : SQLITE_OPEN_URI), "unix-none");
  if (!database) return database;
  sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (auto set = database->run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON"); !set)
    return tl::unexpected(set.error());
  return database;
}

Result<Database> Database::open_in_memory() {
  return open_with("", ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
}

Result<Database> Database::open_with(const std::string& path, const std::string& name, int flags,
                                     const char* vfs) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
  Database database;
  database.path_ = path;
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return tl::unexpected(database.failure(code, "open"));
  return database;
}

Result<void> Database::run(const std::string& sql) const {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(failure(code, "use"));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(failure(code, "use"));
  return Statement(statement);
}

Result<void> Database::finish(Statement& statement, std::string_view what) const {
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = statement.step();
  Result<void> result;
  if (code != SQLITE_DONE) result = tl::unexpected(failure(code, what));
  statement.reset();
  return result;
}

Result<int64_t> Database::number(std::string_view sql) const {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const int code = statement->step();
  if (code == SQLITE_DONE) return 0;
  if (code != SQLITE_ROW) return tl::unexpected(failure(code, "read"));
  return statement->integer(0);
}

void Database::roll_back() const {
  if (sqlite3_get_autocommit(handle_.get()) == 0)
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

namespace {

bool is_space(int cause) {
  return cause == ENOSPC || cause == EDQUOT || cause == EFBIG;  // EFBIG: a limit on file sizes
}

// Whether an I/O error was caused by lack of space. After a failed COMMIT, the log file knows.
bool io_wants_space(sqlite3* handle) {
  if (is_space(sqlite3_system_errno(handle))) return true;
  sqlite3_file* log = nullptr;
  int cause = 0;
  if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK)
    return false;
  if (log == nullptr || log->pMethods == nullptr) return false;
  if (log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &cause) != SQLITE_OK) return false;
  return is_space(cause);
}

}  // namespace

Error Database::failure(int code, std::string_view what) const {
  const int primary = code & 0xff;
  full_ = primary == SQLITE_FULL ||
          (primary == SQLITE_IOERR && handle_ && io_wants_space(handle_.get()));
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) damaged_ = true;
  if (primary == SQLITE_BUSY) in_use_ = true;
  const char* advice = "";
  if (full_)
    advice = "; free space on its file system, what is not stored yet waits until then";
  else if (damaged_)
    advice = "; the file is damaged";
  else if (primary == SQLITE_BUSY)
    advice = "; another process, perhaps another fmd, is using it: stop that one first";
  else if (primary == SQLITE_CANTOPEN || primary == SQLITE_PERM || primary == SQLITE_READONLY)
    advice = "; the folder must exist and be writable by the user fmd runs as";
  const char* words = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  return Error{fmt::format("cannot {} the database: {}{}", what, words, advice), path_, 0};
}

}  // namespace fmd::store
