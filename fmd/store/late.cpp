// A file that the disk does not let open: what stands in for it, and what happens when it can be opened at
// last.
#include "fmd/store/impl.h"
#include "fmd/store/migrations.h"

namespace fmd {

using store::Database;

namespace {

Result<Database> nothing() {
  auto database = Database::open_in_memory();
  if (!database) return database;
  for (const auto& migration : store::migrations())
    if (auto done = database->run(std::string(migration)); !done)
      return tl::unexpected(done.error());
  return database;
}

}  // namespace

Result<void> Store::Impl::stand_in(Error why) {
  const bool was_full = full;
  unopened = std::move(why);
  if (auto looked = look(); !looked) return looked;
  full = was_full;
  auto counted = count();
  if (!counted) return tl::unexpected(counted.error());
  seen = *counted;
  return {};
}

Result<void> Store::Impl::look() {
  statements = {};
  database.reset();
  sees_file = false;
  if (auto view = store::open_view(path)) sees_file = adopt(std::move(*view)).has_value();
  if (sees_file) return {};
  auto empty = nothing();
  return empty ? adopt(std::move(*empty)) : tl::unexpected(empty.error());
}

Result<Store::Impl::Seen> Store::Impl::count() const {
  const auto rows = database->number("SELECT count(*) FROM state");
  if (!rows) return tl::unexpected(rows.error());
  return Seen{last_seq, *rows};
}

// What is not the file's any more is closed first: SQLite's locks are the process's.
Result<void> Store::Impl::open_late() {
  const bool saw_file = sees_file;
  statements = {};
  merge.reset();
  database.reset();
  store::OpenFailure failure;
  auto opened = open_file(failure);
  if (!opened && failure.damaged && saw_file) {
    unopened.reset();  // and no database: it is to be replaced, by what is in memory
    return tl::unexpected(opened.error());
  }
  unread = failure.damaged;
  auto taken = opened ? take_up(std::move(*opened)) : tl::unexpected(opened.error());
  if (taken) return taken;
  const bool was_full = full;
  unopened = taken.error();
  if (auto looked = look(); !looked) return looked;
  full = was_full;
  return taken;
}

Result<void> Store::Impl::take_up(Database opened) {
  if (auto adopted = adopt(std::move(opened)); !adopted) return adopted;
  const auto counted = count();
  if (!counted) return tl::unexpected(counted.error());
  unread = *counted != seen ||
           (seen.rows > 0 && !wanted_name.empty() && !machine.is_called(wanted_name));
  if (unread) return fail("it holds what could not be read when fmd started", path);
  unopened.reset();
  if (wanted_name.empty()) return {};
  auto named = transact([&] { return machine.name(*database, wanted_name); });
  full = !named && database->is_full();
  return named;
}

}  // namespace fmd
