#include "plugins/zfs/scan_text.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fmd/base/duration.h"

namespace fmd::zfs {
namespace {

// "Sat Nov 21 02:57:05 2026" at the beginning of the text, local time; 0 if there is none.
int64_t parse_date(std::string_view text) {
  struct tm when = {};
  const std::string line(text.substr(0, 24));
  if (!strptime(line.c_str(), "%a %b %d %H:%M:%S %Y", &when)) return 0;
  when.tm_isdst = -1;
  return date_of_seconds(mktime(&when));
}

std::string_view after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

// The word before the mark: "188M" in "188M total".
std::string_view before(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text = text.substr(0, at);
  const size_t start = text.find_last_of(" ,\n");
  return start == std::string_view::npos ? text : text.substr(start + 1);
}

// "93.8M", "120B", "1.50T", "197132288" → bytes; 0 if it is not an amount.
double parse_amount(std::string_view word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || number < 0) return 0;
  constexpr std::string_view kUnits = "BKMGTPE";
  const size_t unit = end == word.data() + word.size() ? 0 : kUnits.find(*end);
  return unit == std::string_view::npos ? 0 : number * std::pow(1024.0, static_cast<double>(unit));
}

// "1 days 02:03:04" or "02:03:04" at the beginning of the text.
std::optional<int64_t> parse_span(std::string_view text) {
  int64_t days = 0, parts[3] = {};
  const char* end = text.data() + text.size();
  if (const size_t at = text.find(" days "); at != std::string_view::npos && at < 8) {
    if (std::from_chars(text.data(), text.data() + at, days).ec != std::errc()) return {};
    if (days < 0 || days > 9999) return {};
    text = text.substr(at + 6);
  }
  const char* at = text.data();
  for (int i = 0; i < 3; ++i) {
    const auto [stop, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc() || parts[i] < 0 || parts[i] > 99999) return {};
    at = stop;
    if (i < 2 && (at == end || *at++ != ':')) return {};
  }
  return ((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2];
}

// ", 99.99% done, 1 days 00:00:00 to go"
std::optional<int64_t> parse_to_go(std::string_view text) {
  const size_t end = text.find(" to go");
  const size_t done = text.find("% done, ");
  if (end == std::string_view::npos || done == std::string_view::npos) return {};
  return parse_span(text.substr(done + 8, end - done - 8));
}

void parse_percent(std::string_view text, Scan& scan) {
  const auto percent = before(text, "% done");
  (void)std::from_chars(percent.data(), percent.data() + percent.size(), scan.percent);
  if (!(scan.percent >= 0 && scan.percent <= 100)) scan.percent = 0;
}

void parse_progress(std::string_view text, Scan& scan) {
  parse_percent(text, scan);
  if (scan.state == Scan::State::paused) return;
  const auto rate = after(text, "issued at ");
  scan.rate_bytes = parse_amount(rate.substr(0, rate.find("/s")));
  scan.seconds_left = parse_to_go(text);
  if (scan.seconds_left || scan.rate_bytes < 1) return;
  // zpool prints no estimate below 10 MB/s, when people need it most.
  std::string_view issued = before(text, " issued at "), total = before(text, " total");
  if (total.empty()) {
    total = issued;
    issued = before(text, std::string(" / ").append(total).append(" issued at "));
  }
  const double left = parse_amount(total) - parse_amount(issued);
  if (parse_amount(issued) > 0 && left >= 0)
    scan.seconds_left = static_cast<int64_t>(left / scan.rate_bytes);
}

void parse_end(std::string_view text, Scan& scan) {  // "... in 00:03:01 with 0 errors on Sat ..."
  const auto errors = before(text, " errors on ");
  (void)std::from_chars(errors.data(), errors.data() + errors.size(), scan.errors);
  scan.ended_ns = parse_date(after(text, " errors on "));
  const auto repaired = after(text, "scrub repaired ");
  scan.repaired = static_cast<uint64_t>(parse_amount(repaired.substr(0, repaired.find(' '))));
  const auto span = parse_span(after(text, " in "));
  if (scan.ended_ns && span) scan.started_ns = scan.ended_ns - *span * kSecondNs;
}

}  // namespace

Scan parse_scan(std::string_view text) {
  Scan scan;
  scan.text = text;
  std::replace(scan.text.begin(), scan.text.end(), '\n', ' ');
  const auto first = text.substr(0, text.find('\n'));
  if (first.starts_with("scrub"))
    scan.kind = Scan::Kind::scrub;
  else if (first.starts_with("resilver"))
    scan.kind = Scan::Kind::resilver;
  else
    return scan;
  if (first.find(" in progress since ") != std::string_view::npos) {
    scan.state = Scan::State::running;
    scan.started_ns = parse_date(after(first, " since "));
    parse_progress(text, scan);
  } else if (first.find(" paused since ") != std::string_view::npos) {
    scan.state = Scan::State::paused;
    scan.started_ns = parse_date(after(text, " started on "));
    parse_progress(text, scan);
  } else if (first.find(" canceled on ") != std::string_view::npos) {
    scan.state = Scan::State::canceled;
    scan.ended_ns = parse_date(after(first, " canceled on "));
  } else if (first.find(" errors on ") != std::string_view::npos) {
    scan.state = Scan::State::finished;
    parse_end(first, scan);
  } else {
    scan.kind = Scan::Kind::none;
  }
  return scan;
}

Scan parse_scans(const std::vector<std::string>& texts) {
  Scan best;
  for (const std::string& text : texts) {
    Scan scan = parse_scan(text);
    const bool better =
        scan.active() != best.active() ? scan.active() : scan.ended_ns > best.ended_ns;
    if (best.text.empty() || better) best = std::move(scan);
  }
  return best;
}

// "expansion of raidz1-0 in progress since Sun Nov 22 05:57:18 2026
//  4.37M / 53.7M copied at 299K/s, 8.14% done, 00:02:49 to go", or "…, paused for resilver or clear"
Scan parse_expand(std::string_view text) {
  Scan scan;
  scan.text = text;
  std::replace(scan.text.begin(), scan.text.end(), '\n', ' ');
  const auto first = text.substr(0, text.find('\n'));
  if (!first.starts_with("expansion ") ||
      first.find(" in progress since ") == std::string_view::npos)
    return scan;
  scan.kind = Scan::Kind::expand;
  scan.state = text.find("% done, paused for") == std::string_view::npos ? Scan::State::running
                                                                         : Scan::State::paused;
  scan.started_ns = parse_date(after(first, " since "));
  parse_percent(text, scan);
  if (scan.state == Scan::State::paused) return scan;
  const auto rate = after(text, "copied at ");
  scan.rate_bytes = parse_amount(rate.substr(0, rate.find("/s")));
  scan.seconds_left = parse_to_go(text);
  return scan;
}

Scan parse_error_scrub(std::string_view text) {
  Scan scan;
  scan.text = text;
  std::replace(scan.text.begin(), scan.text.end(), '\n', ' ');
  if (!text.starts_with("error scrub in progress since ")) return scan;
  scan.kind = Scan::Kind::scrub;
  scan.state = Scan::State::running;
  scan.started_ns = parse_date(after(text, " since "));
  parse_percent(text, scan);
  return scan;
}

std::string_view kind_word(Scan::Kind kind) {
  return kind == Scan::Kind::scrub      ? "scrub"
         : kind == Scan::Kind::resilver ? "resilver"
         : kind == Scan::Kind::expand   ? "expand"
                                        : "none";
}

std::string_view busy_word(const Scan& scan) {
  return scan.state == Scan::State::running ? kind_word(scan.kind) : "";
}

}  // namespace fmd::zfs
