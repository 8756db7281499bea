#include "plugins/zfs/zpool_json.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fmd/base/bounded_json.h"
#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd::zfs {
namespace {

// A pool of 10,000 disks has 300,000 values in eight levels.
constexpr JsonSize kLimits{64, 2'000'000};

using Json = nlohmann::ordered_json;  // keeps children in the pool's order

const Json& member(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

std::string word(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

// 12, "12", "12.1M"; 0 if absent.
uint64_t amount(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (!value.is_string()) return 0;
  const auto text = value.get<std::string>();
  uint64_t exact = 0;
  const char* end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, exact);
      error == std::errc() && stop == end)
    return exact;
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const size_t unit = stop == end ? 0 : std::string_view("BKMGTPE").find(*stop);
  if (error != std::errc() || unit == std::string_view::npos || !(number >= 0)) return 0;
  return static_cast<uint64_t>(std::llround(number * std::pow(1024.0, static_cast<double>(unit))));
}

// Seconds since 1970, or "Sun Nov 22 05:56:09 UTC 2026" in the local zone; 0: not yet.
int64_t date_ns(const Json& object, const char* name) {
  std::string text = word(object, name);
  if (text.empty()) return date_of_seconds(static_cast<int64_t>(amount(object, name)));
  const size_t year = text.rfind(' ');
  const size_t zone = year == std::string::npos || year == 0 ? year : text.rfind(' ', year - 1);
  if (zone == std::string::npos) return 0;
  text.erase(zone, year - zone);
  struct tm when = {};
  if (!strptime(text.c_str(), "%a %b %d %H:%M:%S %Y", &when)) return 0;
  when.tm_isdst = -1;
  return date_of_seconds(mktime(&when));
}

std::string date_text(int64_t time_ns) {
  const time_t seconds = time_ns / kSecondNs;
  struct tm local = {};
  localtime_r(&seconds, &local);
  char text[40];
  return {text, strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local)};
}

std::string span_text(int64_t seconds) {
  const auto clock =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return seconds < 86400 ? clock : fmt::format("{} days {}", seconds / 86400, clock);
}

// The text that `zpool status` prints after the counters, for a vdev_aux_t.
std::string_view aux_text(std::string_view aux) {
  constexpr std::array<std::array<std::string_view, 2>, 18> kTexts{{
      {"OPEN_FAILED", "cannot open"},
      {"CORRUPT_DATA", "corrupted data"},
      {"NO_REPLICAS", "insufficient replicas"},
      {"BAD_GUID_SUM", "missing device"},
      {"TOO_SMALL", "device is too small"},
      {"BAD_LABEL", "bad label"},
      {"VERSION_NEWER", "newer version"},
      {"VERSION_OLDER", "older version"},
      {"UNSUP_FEAT", "unsupported feature(s)"},
      {"SPARED", "currently in use"},
      {"ERR_EXCEEDED", "too many errors"},
      {"IO_FAILURE", "experienced I/O failures"},
      {"BAD_LOG", "bad intent log"},
      {"EXTERNAL", "external device fault"},
      {"SPLIT_POOL", "split into new pool"},
      {"CHILDREN_OFFLINE", "all children offline"},
      {"EXTERNAL_PERSIST", "external device fault"},
      {"ACTIVE", "currently in use"},
  }};
  for (const auto& [name, text] : kTexts)
    if (name == aux) return text;
  return aux;
}

// State name of the text format. JSON has one vdev_state_t name for all that cannot be opened
// (libzfs_pool.c, zpool_state_to_name()); spares have the text's own. "" unknown.
std::string_view state_text(std::string_view state, std::string_view aux) {
  if (state == "CANT_OPEN")
    return aux == "CORRUPT_DATA" || aux == "BAD_LOG" ? "FAULTED"
           : aux == "SPLIT_POOL"                     ? "SPLIT"
                                                     : "UNAVAIL";
  if (state == "CLOSED") return "OFFLINE";
  if (state == "HEALTHY") return "ONLINE";
  for (const std::string_view same : {"ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "REMOVED",
                                      "UNAVAIL", "UNKNOWN", "SPLIT", "AVAIL", "INUSE"})
    if (state == same) return same;
  return "";
}

// in_pass: how much was done in the `seconds` since it last started or resumed.
void reckon_rest(Scan& scan, uint64_t done, uint64_t total, uint64_t in_pass, double seconds) {
  const auto all = static_cast<double>(total), now = static_cast<double>(std::min(done, total));
  if (total) scan.percent = 100.0 * now / all;
  if (scan.state != Scan::State::running || in_pass == 0 || seconds < 1) return;
  scan.rate_bytes = static_cast<double>(in_pass) / seconds;
  scan.seconds_left = static_cast<int64_t>((all - now) / scan.rate_bytes);
}

std::string progress_text(std::string_view what, const Scan& scan) {
  std::string text =
      fmt::format("{} {} since {}, {:.2f}% done", what,
                  scan.state == Scan::State::paused ? "paused, in progress" : "in progress",
                  date_text(scan.started_ns), scan.percent);
  if (scan.seconds_left) text += fmt::format(", {} to go", span_text(*scan.seconds_left));
  return text;
}

double since(int64_t then_ns, int64_t now_ns) {
  return static_cast<double>(std::max<int64_t>(0, now_ns - then_ns)) /
         static_cast<double>(kSecondNs);
}

Scan read_scan(const Json& stats, int64_t now_ns) {
  Scan scan;
  const std::string function = word(stats, "function"), state = word(stats, "state");
  scan.kind = function == "SCRUB"      ? Scan::Kind::scrub
              : function == "RESILVER" ? Scan::Kind::resilver
                                       : Scan::Kind::none;
  if (scan.kind == Scan::Kind::none) return scan;
  const bool scrub = scan.kind == Scan::Kind::scrub;
  scan.started_ns = date_ns(stats, "start_time");
  const uint64_t copied = amount(stats, "processed");
  if (state == "SCANNING") {
    scan.state = date_ns(stats, "scrub_pause") ? Scan::State::paused : Scan::State::running;
    const uint64_t all = amount(stats, "to_examine"), skipped = amount(stats, "skipped");
    const uint64_t total = all - std::min(skipped, all);
    const double pass =
        since(date_of_seconds(static_cast<int64_t>(amount(stats, "pass_start"))), now_ns) -
        static_cast<double>(amount(stats, "scrub_spent_paused"));
    reckon_rest(scan, amount(stats, "issued"), total, amount(stats, "issued_bytes_per_scan"), pass);
    scan.text = progress_text(scrub ? "scrub" : "resilver", scan);
  } else if (state == "FINISHED") {
    scan.state = Scan::State::finished;
    scan.ended_ns = date_ns(stats, "end_time");
    scan.errors = amount(stats, "errors");
    if (scrub) scan.repaired = copied;
    scan.text =
        fmt::format("{} {} in {} with {} errors on {}", scrub ? "scrub repaired" : "resilvered",
                    copied ? format_bytes(copied) : "0B",
                    span_text(std::max<int64_t>(0, scan.ended_ns - scan.started_ns) / kSecondNs),
                    scan.errors, date_text(scan.ended_ns));
  } else if (state == "CANCELED") {
    scan.state = Scan::State::canceled;
    scan.started_ns = 0;
    scan.ended_ns = date_ns(stats, "end_time");
    scan.text =
        fmt::format("{} canceled on {}", scrub ? "scrub" : "resilver", date_text(scan.ended_ns));
  } else {
    scan.kind = Scan::Kind::none;
  }
  return scan;
}

Scan read_expand(const Json& stats, int64_t now_ns) {
  Scan scan;
  if (word(stats, "state") != "SCANNING") return scan;
  scan.kind = Scan::Kind::expand;
  scan.state = amount(stats, "waiting_for_resilver") ? Scan::State::paused : Scan::State::running;
  scan.started_ns = date_ns(stats, "start_time");
  const uint64_t copied = amount(stats, "reflowed");
  reckon_rest(scan, copied, amount(stats, "to_reflow"), copied, since(scan.started_ns, now_ns));
  scan.text = progress_text(
      fmt::format("expansion of {}-{}", word(stats, "name"), amount(stats, "expanding_vdev")),
      scan);
  return scan;
}

Scan read_error_scrub(const Json& stats) {
  Scan scan;
  if (word(stats, "err_scrub_state") != "SCANNING") return scan;
  scan.kind = Scan::Kind::scrub;
  scan.state = Scan::State::running;
  scan.started_ns = date_ns(stats, "err_scrub_start_time");
  reckon_rest(scan, amount(stats, "err_scrub_examined"), amount(stats, "err_scrub_to_examine"), 0,
              0);
  scan.text = progress_text("error scrub", scan);
  return scan;
}

class Reader {
 public:
  explicit Reader(JsonStatus& into) : into_(into) {}

  // "" or the error.
  std::string read(const Json& pool, int64_t now_ns) {
    StatusPool& status = into_.pool;
    const Json& scan = member(pool, "scan_stats");
    if (!member(scan, "rebuild_stats").is_null()) return "it rebuilds, or has";
    into_.guid = amount(pool, "pool_guid");
    status.name = word(pool, "name");
    status.state = word(pool, "state");
    status.status = word(pool, "status");
    status.see = word(pool, "msgid");
    status.work = StatusPool::Work{read_scan(scan, now_ns),
                                   read_expand(member(pool, "raidz_expand_stats"), now_ns),
                                   read_error_scrub(scan)};
    if (!member(pool, "error_count").is_null()) {
      const uint64_t count = amount(pool, "error_count");
      status.errors = count ? fmt::format("{} data errors, use '-v' for a list", count)
                            : "No known data errors";
    }
    const Json& root = member(member(pool, "vdevs"), status.name.c_str());
    if (into_.guid == 0 || status.state.empty() || !root.is_object())
      return "expected a pool with its vdevs";
    add(root, "", 0);
    constexpr std::array<std::array<const char*, 2>, 5> kSections{{{"logs", "logs"},
                                                                   {"special", "special"},
                                                                   {"dedup", "dedup"},
                                                                   {"l2cache", "cache"},
                                                                   {"spares", "spares"}}};
    for (const auto& [key, section] : kSections)
      for (const Json& vdev : member(pool, key)) add(vdev, section, 1);
    return wrong_;
  }

 private:
  void add(const Json& vdev, const std::string& section, int depth) {
    if (depth > 8) return wrong("vdevs in vdevs in vdevs");
    const std::string type = word(vdev, "vdev_type");
    if (type == "indirect" || type == "hole") return;  // the text omits them
    StatusRow row;
    const uint64_t guid = amount(vdev, "guid");
    row.state = state_text(word(vdev, "state"), word(vdev, "aux"));
    if (guid == 0 || type.empty() || row.state.empty())
      return wrong("expected a vdev with guid, type and state");
    row.name = depth ? std::to_string(guid) : into_.pool.name;
    row.depth = depth;
    row.section = section;
    row.read_errors = amount(vdev, "read_errors");
    row.write_errors = amount(vdev, "write_errors");
    row.checksum_errors = amount(vdev, "checksum_errors");
    row.slow_ios = amount(vdev, "slow_ios");
    const Json& children = member(vdev, "vdevs");
    row.note = note_of(vdev, children.is_null() && section != "spares");
    into_.pool.rows.push_back(std::move(row));
    const std::string path = word(vdev, "path");
    // A vdev that was absent at the import has only its GUID as a name.
    if (depth) into_.names[guid] = path.empty() || vdev.contains("was") ? word(vdev, "name") : path;
    for (const Json& child : children) add(child, section, depth + 1);
  }

  std::string note_of(const Json& vdev, bool leaf) const {
    std::string note(vdev.contains("was") ? "was " + word(vdev, "was")
                                          : aux_text(word(vdev, "aux")));
    if (const auto other = word(vdev, "used_by"); !other.empty())
      note = fmt::format("in use by pool '{}'", other);
    if (const Scan& scan = into_.pool.work->scan; leaf && scan.active()) {
      const bool resilver = scan.kind == Scan::Kind::resilver;
      const std::string_view more = amount(vdev, "scan_processed")
                                        ? resilver ? "(resilvering)" : "(repairing)"
                                    : amount(vdev, "resilver_deferred") ? "(awaiting resilver)"
                                                                        : "";
      if (!more.empty()) note += (note.empty() ? "" : "  ") + std::string(more);
    }
    return note;
  }

  void wrong(std::string why) { wrong_ = std::move(why); }

  JsonStatus& into_;
  std::string wrong_;
};

}  // namespace

Result<JsonStatus> parse_status_json(std::string_view text, int64_t now_ns) {
  const JsonSize size = measure_json(text);
  if (size.nesting > kLimits.nesting || size.values > kLimits.values)
    return fail("is nested too deep or has too many values", "zpool status -j");
  const Json output = Json::parse(text, nullptr, false);
  const Json& pools = member(output, "pools");
  if (!pools.is_object() || pools.size() != 1) return fail("expected one pool", "zpool status -j");
  JsonStatus status;
  if (auto wrong = Reader(status).read(pools.front(), now_ns); !wrong.empty())
    return fail(std::move(wrong), "zpool status -j");
  return status;
}

}  // namespace fmd::zfs
