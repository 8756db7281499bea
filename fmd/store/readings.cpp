// Readings: written in the commit's transaction, queried, and dropped when old.
#include "fmd/store/readings.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>

#include "fmd/store/impl.h"

namespace fmd {

using store::ClassGlob;
using store::SeriesMap;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int kDroppedAtOnce = 256;  // per transaction, so that the write-ahead log stays small

int64_t ms_down(int64_t ns) {
  return ns / kMs - (ns % kMs < 0 ? 1 : 0);
}

// A query in progress.
class ReadingScan {
 public:
  ReadingScan(const store::Database& database, store::BlockCodec& codec, const ReadingQuery& query)
      : database_(database), codec_(codec), query_(query) {
    for (const std::string& name : query.names) globs_.emplace_back(name);
  }

  Result<ReadingHistory> run() {
    const auto ids = blocks();
    if (!ids) return tl::unexpected(ids.error());
    auto statement = database_.prepare("SELECT data FROM readings WHERE id = ?");
    if (!statement) return tl::unexpected(statement.error());
    for (const int64_t id : *ids) {
      statement->bind(1, id);
      const int code = statement->step();
      if (code != SQLITE_ROW) return tl::unexpected(database_.failure(code, "read"));
      bytes_.clear();
      auto read = codec_.unpack(statement->data(0), bytes_);
      statement->reset();
      if (read) read = take();
      if (!read && history_.damage.empty())
        history_.damage = fmt::format("{}: some readings cannot be read: {}", database_.path(),
                                      read.error().message);
      give_up_last();
      if (found_ > store::kMostReadings)
        return fail("these are too many readings for one answer; ask for a shorter time");
    }
    return finish();
  }

 private:
  Result<std::vector<int64_t>> blocks() {
    auto list = database_.prepare(
        "SELECT id FROM readings INDEXED BY readings_catalog WHERE to_ns >= ?1 AND from_ns <= ?2 "
        "AND first_resource <= ?3 AND last_resource >= ?3");
    if (!list) return tl::unexpected(list.error());
    // A block's limits are in whole milliseconds.
    list->bind(1, first_ms_ * kMs).bind(2, query_.to_ns.value_or(INT64_MAX));
    list->bind(3, std::string_view(query_.resource));
    std::vector<int64_t> ids;
    int code = SQLITE_ROW;
    while ((code = list->step()) == SQLITE_ROW) ids.push_back(list->integer(0));
    if (code != SQLITE_DONE) return tl::unexpected(database_.failure(code, "read"));
    return ids;
  }

  // Leaves the last names to the next answer if this one is too large.
  void give_up_last() {
    while (found_ > store::kAnswerReadings && found_by_name_.size() > 1) {
      const auto last = std::prev(found_by_name_.end());
      history_.next_name = last->first;
      found_ -= last->second.points.size();
      found_by_name_.erase(last);
    }
  }

  bool wanted(std::string_view name) const {
    if (name < query_.first_name) return false;
    if (!history_.next_name.empty() && name >= history_.next_name) return false;
    return globs_.empty() || std::any_of(globs_.begin(), globs_.end(),
                                         [&](const ClassGlob& glob) { return glob.matches(name); });
  }

  Result<void> take() {
    store::SeriesReader reader(bytes_);
    for (;;) {
      const auto more = reader.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more || reader.resource() > query_.resource) return {};  // sorted by resource
      if (reader.resource() != query_.resource || !wanted(reader.name())) continue;
      store::Points points;
      if (auto read = reader.append_points(points); !read) return read;
      auto& into = found_by_name_[std::string(reader.name())];
      if (!reader.unit().empty()) into.unit = reader.unit();
      for (size_t i = 0; i < points.size(); ++i) {
        const int64_t ms = points.times_ms[i];
        if (ms < first_ms_ || ms > last_ms_) continue;
        into.points.add(ms, points.values[i]);
        ++found_;
      }
    }
  }

  ReadingHistory finish() {
    for (auto& [name, columns] : found_by_name_) {
      columns.points.sort();
      ReadingSeries series{name, columns.unit, {}};
      for (size_t i = 0; i < columns.points.size(); ++i)
        series.points.push_back({columns.points.times_ms[i] * kMs, columns.points.values[i]});
      if (!series.points.empty()) history_.series.push_back(std::move(series));
    }
    return std::move(history_);
  }

  const store::Database& database_;
  store::BlockCodec& codec_;
  const ReadingQuery& query_;
  const int64_t first_ms_ = ms_down(std::max<int64_t>(0, query_.from_ns.value_or(0)));
  const int64_t last_ms_ = ms_down(query_.to_ns.value_or(INT64_MAX));
  std::vector<ClassGlob> globs_;
  std::string bytes_;
  std::map<std::string, store::SeriesColumns> found_by_name_;
  size_t found_ = 0;
  ReadingHistory history_;
};

}  // namespace

namespace {

// Adds readings stored under a former name of the part.
void join(ReadingHistory& history, ReadingHistory older) {
  if (history.damage.empty()) history.damage = std::move(older.damage);
  if (!older.next_name.empty() &&
      (history.next_name.empty() || older.next_name < history.next_name))
    history.next_name = older.next_name;
  for (ReadingSeries& series : older.series) {
    const auto at =
        std::find_if(history.series.begin(), history.series.end(),
                     [&](const ReadingSeries& known) { return known.name == series.name; });
    if (at == history.series.end()) {
      history.series.push_back(std::move(series));
      continue;
    }
    at->points.insert(at->points.end(), series.points.begin(), series.points.end());
    std::stable_sort(
        at->points.begin(), at->points.end(),
        [](const ReadingPoint& a, const ReadingPoint& b) { return a.time_ns < b.time_ns; });
  }
  std::sort(history.series.begin(), history.series.end(),
            [](const ReadingSeries& a, const ReadingSeries& b) { return a.name < b.name; });
  if (!history.next_name.empty())
    std::erase_if(history.series,
                  [&](const ReadingSeries& series) { return series.name >= history.next_name; });
}

}  // namespace

void store::ReadingBlockWriter::add(const SeriesKey& key, const SeriesColumns& from, size_t first,
                                    size_t count) {
  if (count == 0) return;
  writer_.add(key.resource, key.name, from.unit, from.points, first, count);
  if (block_.count == 0) block_.first_resource = key.resource;
  block_.last_resource = key.resource;
  block_.from_ms = std::min(block_.from_ms, from.points.times_ms[first]);
  block_.to_ms = std::max(block_.to_ms, from.points.times_ms[first + count - 1]);
  block_.count += count;
}

store::ReadingBlock store::ReadingBlockWriter::finish(BlockCodec& codec, PackLevel level,
                                                      bool sealed) {
  ReadingBlock done = std::move(block_);
  done.sealed = sealed;
  done.data = codec.pack(writer_.bytes(), level);
  writer_.clear();
  block_ = {};
  return done;
}

Result<void> store::insert_readings(const Database& database, Statement& insert,
                                    const ReadingBlock& block) {
  insert.bind(1, block.from_ms * kMs).bind(2, block.to_ms * kMs);
  insert.bind(3, std::string_view(block.first_resource))
      .bind(4, std::string_view(block.last_resource));
  insert.bind(5, static_cast<int64_t>(block.count)).bind(6, block.sealed ? 1 : 0);
  insert.bind(7, static_cast<int64_t>(block.data.size())).bind_data(8, block.data);
  return database.finish(insert, "write");
}

Result<void> Store::Impl::write_readings(const std::vector<Reading>& readings) {
  for (size_t next = 0; next < readings.size();) {
    SeriesMap series;
    const size_t end = std::min(readings.size(), next + store::kCommitReadings);
    for (; next < end; ++next) {
      const Reading& reading = readings[next];
      store::SeriesColumns& columns = series[{reading.resource, reading.name}];
      columns.unit = reading.unit;
      columns.points.add(ms_down(reading.time_ns), reading.value);
    }
    store::ReadingBlockWriter writer;
    for (auto& [key, columns] : series) {
      columns.points.sort();
      writer.add(key, columns, 0, columns.points.size());
    }
    const auto written =
        store::insert_readings(*database, statements.insert_readings,
                               writer.finish(codec, options.compression.fresh, false));
    if (!written) return written;
  }
  return {};
}

Result<ReadingHistory> Store::readings(const ReadingQuery& query) const {
  if (!impl_->database) return fail("no database is open after damage", impl_->path);
  auto history = ReadingScan(*impl_->database, impl_->codec, query).run();
  for (const std::string& was : impl_->machine.former(query.resource)) {
    ReadingQuery before = query;
    before.resource = was;
    auto older = ReadingScan(*impl_->database, impl_->codec, before).run();
    if (!history || !older) return history ? older : history;
    join(*history, std::move(*older));
  }
  return history;
}

Result<void> Store::retain_readings(int64_t keep_from_ns, uint64_t max_bytes) {
  if (impl_->unopened) return {};
  const auto& database = impl_->database;
  impl_->merge.reset();  // it may contain blocks that are dropped now; it restarts
  const std::string drop_older = fmt::format(
      "DELETE FROM readings WHERE id IN (SELECT id FROM readings INDEXED BY readings_catalog WHERE "
      "to_ns < {} LIMIT {})",
      keep_from_ns, kDroppedAtOnce);
  // The blocks beyond the size, counted from the newest.
  const std::string drop_excess = fmt::format(
      "DELETE FROM readings WHERE id IN (SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY "
      "to_ns DESC, id DESC) AS newer FROM readings INDEXED BY readings_catalog) WHERE newer > {} "
      "LIMIT {})",
      max_bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(max_bytes), kDroppedAtOnce);
  for (bool more = true; more;) {
    more = false;
    const auto done = impl_->transact([&]() -> Result<void> {
      for (const std::string& sql : {drop_older, drop_excess}) {
        if (auto dropped = database->run(sql); !dropped) return dropped;
        more = more || sqlite3_changes(database->handle()) > 0;
      }
      return {};
    });
    if (!done) return done;
  }
  return {};
}

}  // namespace fmd
