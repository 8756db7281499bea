// Database and Statement: SQLite with fmd's error values. Internal to the store. Single thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fmd::store {

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  // Bound text and data are not copied: keep them until reset() or destruction.
  // Parameters count from 1.
  Statement& bind(int parameter, int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_data(int parameter, std::string_view data);
  int step();    // SQLITE_ROW, SQLITE_DONE or an error code
  void reset();  // to bind and run again
  // Columns count from 0; views are valid until the next step() or reset().
  int64_t integer(int column) const;
  std::string_view data(int column) const;  // text or blob

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Database {
 public:
  // Opens or creates the file, without setting pragmas. Whether it is a database shows only in the
  // first statement (is_damaged()).
  static Result<Database> open(const std::string& path, bool create = true);
  // Reads a file that may not be writable, with its log; writes and locks nothing.
  static Result<Database> open_to_read(const std::string& path);
  static Result<Database> open_in_memory();

  Result<void> run(const std::string& sql) const;  // one or more statements without results
  Result<Statement> prepare(std::string_view sql) const;
  Result<void> finish(Statement& statement,
                      std::string_view what) const;    // runs to its end, then resets it
  Result<int64_t> number(std::string_view sql) const;  // first column of the first row
  void roll_back() const;                              // if a transaction is open

  // The error for the result code of the last call; also sets the flags below.
  Error failure(int code, std::string_view what) const;
  bool is_full() const { return full_; }        // the last failure was lack of space
  bool is_damaged() const { return damaged_; }  // sticky: the file is damaged
  bool is_in_use() const { return in_use_; }    // sticky: another process has it open
  void set_damaged() const { damaged_ = true; }
  void clear_full() const { full_ = false; }
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  static Result<Database> open_with(const std::string& path, const std::string& name, int flags,
                                    const char* vfs);
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  mutable bool full_ = false, damaged_ = false, in_use_ = false;
};

}  // namespace fmd::store
