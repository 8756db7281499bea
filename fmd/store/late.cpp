// A file that cannot be opened: its replacement, and what happens once it can be opened.
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
  const auto looked = look();
  if (!looked) return tl::unexpected(looked.error());
  was_read = *looked;
  full = was_full;
  auto counted = count();
  if (!counted) return tl::unexpected(counted.error());
  seen = *counted;
  return {};
}

Result<bool> Store::Impl::look() {
  statements = {};
  database.reset();
  if (auto view = store::open_view(path))
    if (adopt(std::move(*view))) return true;
  auto empty = nothing();
  if (!empty) return tl::unexpected(empty.error());
  if (auto adopted = adopt(std::move(*empty)); !adopted) return tl::unexpected(adopted.error());
  return false;
}

Result<Store::Impl::Seen> Store::Impl::count() const {
  const auto rows = database->number("SELECT count(*) FROM state");
  if (!rows) return tl::unexpected(rows.error());
  return Seen{last_seq, *rows};
}

// Closes the old database first, because SQLite's locks belong to the process.
Result<void> Store::Impl::open_late() {
  const uint64_t known_seq = last_seq;
  statements = {};
  merge.reset();
  database.reset();
  store::OpenFailure failure;
  auto opened = open_file(failure);
  auto taken =
      opened ? take_up(std::move(*opened), failure) : tl::unexpected(std::move(opened.error()));
  if (taken) return taken;
  unopened = taken.error();
  if (failure.damaged) {
    statements = {};
    database.reset();
    auto fresh = try_fresh();
    if (fresh && was_read) {  // the file is gone; it is created from memory
      unopened.reset();
      last_seq = known_seq;
      return taken;
    }
    unread = fresh.has_value();  // the next start can salvage it
    if (!fresh) unopened = fresh.error();
  }
  const bool was_full = full;
  const auto looked = look();
  full = was_full;
  last_seq = known_seq;
  return tl::unexpected(looked ? *unopened : looked.error());
}

Result<void> Store::Impl::take_up(Database opened, store::OpenFailure& failure) {
  auto adopted = adopt(std::move(opened));
  failure.damaged = !adopted && database->is_damaged();
  if (!adopted) return adopted;
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
