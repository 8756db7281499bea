// Reads events from the journal's blocks.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <optional>

#include "fmd/store/impl.h"

namespace fmd {

using store::BlockRow;
using store::ClassGlob;
using store::Statement;

namespace {

int64_t to_column(uint64_t seq) {
  return static_cast<int64_t>(std::min<uint64_t>(seq, INT64_MAX));
}

// A query in progress. Blocks are fetched whole, one at a time: no statement is open while fn runs.
class EventScan {
 public:
  EventScan(const store::Database& database, store::BlockCodec& codec, store::LineParser& parser,
            const store::MachineNames& machine, const EventQuery& query,
            const std::function<bool(const Event&)>& fn)
      : database_(database),
        codec_(codec),
        parser_(parser),
        machine_(machine),
        query_(query),
        fn_(fn),
        glob_(query.class_glob),
        wanted_(query.seqs),
        resources_(machine.former(query.resource)) {
    std::sort(wanted_.begin(), wanted_.end());
    resources_.push_back(query.resource);
  }

  const EventReach& reach() const { return reach_; }
  Result<void> run() {
    if (query_.limit == 0) return {};
    auto found =
        query_.seqs.empty() ? (is_narrow() ? chosen_blocks() : all_blocks()) : blocks_by_seq();
    if (!found) return found;
    if (!missing_) return {};
    return tl::unexpected(*missing_);
  }

 private:
  bool is_narrow() const {
    return query_.from_ns || query_.to_ns || !glob_.matches_all() || !query_.resource.empty();
  }

  // All blocks after the query's seq, in order, beginning with the block that contains after_seq.
  Result<void> all_blocks() {
    auto statement = prepare(
        "WHERE first_seq >= coalesce((SELECT max(first_seq) FROM block WHERE first_seq <= "
        "?1), 0) AND first_seq > ?2 ORDER BY first_seq LIMIT 1");
    if (!statement) return tl::unexpected(statement.error());
    int64_t before = -1;
    while (!stopped_) {
      statement->bind(1, to_column(query_.after_seq)).bind(2, before);
      const auto row = fetch(*statement);
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      before = to_column((*row)->first_seq);
      scan(**row);
    }
    return {};
  }

  // Selects blocks by time and names, without their data. Names are read only as far as the page
  // needs, since very many blocks may follow.
  Result<void> chosen_blocks() {
    auto list = database_.prepare(
        "SELECT first_seq FROM block INDEXED BY block_catalog WHERE to_ns >= ? AND from_ns <= ? "
        "AND last_seq > ?");
    if (!list) return tl::unexpected(list.error());
    list->bind(1, query_.from_ns.value_or(INT64_MIN)).bind(2, query_.to_ns.value_or(INT64_MAX));
    list->bind(3, to_column(query_.after_seq));
    std::vector<int64_t> firsts;
    int code = SQLITE_ROW;
    while ((code = list->step()) == SQLITE_ROW) firsts.push_back(list->integer(0));
    if (code != SQLITE_DONE) return tl::unexpected(database_.failure(code, "read"));
    std::sort(firsts.begin(), firsts.end());
    if (!glob_.matches_all() || !query_.resource.empty()) {
      auto names =
          database_.prepare("SELECT classes, resources FROM block_names WHERE first_seq = ?");
      if (!names) return tl::unexpected(names.error());
      names_.emplace(std::move(*names));
    }
    return each("WHERE first_seq = ?", firsts);
  }

  Result<bool> may_be_in(int64_t first_seq) {
    if (!names_) return true;
    names_->bind(1, first_seq);
    const int code = names_->step();
    if (code != SQLITE_ROW && code != SQLITE_DONE)
      return tl::unexpected(database_.failure(code, "read"));
    const bool may = code == SQLITE_DONE || may_have_any(names_->data(0), names_->data(1));
    names_->reset();
    return may;
  }

  bool may_have_any(std::string_view classes, std::string_view kept) const {
    const auto resources = store::read_resources(classes, kept);
    return !resources || (may_have_class(classes, glob_) && may_have_resource(*resources));
  }

  // Also under the machine's former names.
  bool may_have_resource(std::string_view resources) const {
    return std::any_of(resources_.begin(), resources_.end(), [&](const std::string& one) {
      return one.empty() || store::may_have_resource(resources, one);
    });
  }

  Result<void> blocks_by_seq() {
    std::vector<int64_t> keys;
    for (const uint64_t seq : wanted_)
      if (seq > query_.after_seq && seq <= INT64_MAX) keys.push_back(to_column(seq));
    return each("WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1", keys);
  }

  Result<void> each(std::string_view where, const std::vector<int64_t>& keys) {
    auto statement = prepare(where);
    if (!statement) return tl::unexpected(statement.error());
    uint64_t done_until = 0;
    for (const int64_t key : keys) {
      if (stopped_) break;
      if (static_cast<uint64_t>(key) <= done_until) continue;  // already scanned
      const auto may = may_be_in(key);
      if (!may) return tl::unexpected(may.error());
      if (!*may) continue;
      statement->bind(1, key);
      const auto row = fetch(*statement);
      if (!row) return tl::unexpected(row.error());
      if (!*row || (*row)->last_seq <= done_until) continue;
      done_until = (*row)->last_seq;
      scan(**row);
    }
    return {};
  }

  Result<Statement> prepare(std::string_view where) {
    return database_.prepare(
        fmt::format("SELECT {}, data FROM block {}", store::kBlockColumns, where));
  }

  // The next block's row; its lines go into lines_, which stays empty if they cannot be unpacked.
  Result<std::optional<BlockRow>> fetch(Statement& statement) {
    const int code = statement.step();
    if (code == SQLITE_DONE) {
      statement.reset();
      return std::nullopt;
    }
    if (code != SQLITE_ROW) return tl::unexpected(database_.failure(code, "read"));
    const BlockRow row = store::row_of(statement);
    lines_.clear();
    if (row.count > 0) {
      const auto only = lines_wanted(row);
      const auto unpacked = codec_.unpack(statement.data(6), lines_, only ? &*only : nullptr);
      if (!unpacked) lose(row.first_seq, row.last_seq, unpacked.error().message);
      if (machine_.any()) lines_ = machine_.present(lines_);
    }
    statement.reset();
    return row;
  }

  // If sequence numbers correspond to lines, only the wanted lines are unpacked.
  std::optional<std::vector<size_t>> lines_wanted(const BlockRow& row) const {
    if (wanted_.empty() || row.last_seq - row.first_seq + 1 != row.count) return {};
    std::vector<size_t> lines;
    for (auto at = std::lower_bound(wanted_.begin(), wanted_.end(), row.first_seq);
         at != wanted_.end() && *at <= row.last_seq; ++at)
      if (lines.empty() || lines.back() != *at - row.first_seq)
        lines.push_back(*at - row.first_seq);
    return lines;
  }

  void scan(const BlockRow& row) {
    const size_t size = lines_.size();
    lines_.append(store::LineParser::kPadding, ' ');
    const std::string_view text = std::string_view(lines_).substr(0, size);
    for (size_t at = 0; at < text.size() && !stopped_;) {
      const size_t end = std::min(text.find('\n', at), text.size());
      take(text.substr(at, end - at), row);
      at = end + 1;
    }
  }

  void take(std::string_view line, const BlockRow& row) {
    store::LineHead head;
    if (store::peek(line, head)) {
      if (!wanted(head.seq)) return;
      if (looked_at_ == query_.look_at) {
        stopped_ = reach_.more = true;
        return;
      }
      ++looked_at_;
      reach_.seq = head.seq;
      if (!is_asked_for(head.event_class, head.resource)) return;
    }
    if (const auto parsed = parser_.parse(line, event_); !parsed) {
      lose(row.first_seq, row.last_seq, parsed.error().message);
      return;
    }
    if (!wanted(event_.seq) || !is_asked_for(event_.event_class, event_.resource)) return;
    if (event_.time_ns < query_.from_ns.value_or(INT64_MIN)) return;
    if (event_.time_ns > query_.to_ns.value_or(INT64_MAX)) return;
    ++given_;
    stopped_ = !fn_(event_) || given_ >= query_.limit;
  }

  bool is_asked_for(std::string_view event_class, std::string_view resource) const {
    return glob_.matches(event_class) && (query_.resource.empty() || resource == query_.resource);
  }

  bool wanted(uint64_t seq) const {
    return seq > query_.after_seq &&
           (wanted_.empty() || std::binary_search(wanted_.begin(), wanted_.end(), seq));
  }

  void lose(uint64_t first, uint64_t last, std::string_view why) {
    if (missing_) return;
    missing_ =
        Error{fmt::format("some of the events {} to {} cannot be read: {}", first, last, why),
              database_.path(), 0};
  }

  const store::Database& database_;
  store::BlockCodec& codec_;
  store::LineParser& parser_;
  const store::MachineNames& machine_;
  const EventQuery& query_;
  const std::function<bool(const Event&)>& fn_;
  ClassGlob glob_;
  std::vector<uint64_t> wanted_;        // sorted
  std::vector<std::string> resources_;  // the query's resource, under all its names
  std::optional<Statement> names_;      // reads a block's names, if needed
  std::string lines_;
  Event event_;
  uint64_t given_ = 0, looked_at_ = 0;
  EventReach reach_;
  bool stopped_ = false;
  std::optional<Error> missing_;
};

}  // namespace

Result<void> Store::each_event(const EventQuery& query, const std::function<bool(const Event&)>& fn,
                               EventReach* reach) const {
  if (!impl_->database) return fail("no database is open after damage", impl_->path);
  EventScan scan(*impl_->database, impl_->codec, impl_->parser, impl_->machine, query, fn);
  auto read = scan.run();
  if (reach) *reach = scan.reach();
  return read;
}

}  // namespace fmd
