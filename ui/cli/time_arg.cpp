#include "ui/cli/time_arg.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <string>

#include "fmd/base/text.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::tm local_day(int64_t now_ns) {
  const time_t now = now_ns / kSecond;
  std::tm day{};
  localtime_r(&now, &day);
  day.tm_hour = day.tm_min = day.tm_sec = 0;
  return day;
}

int64_t local_ns(std::tm when) {
  when.tm_isdst = -1;
  return static_cast<int64_t>(mktime(&when)) * kSecond;
}

bool in_range(const std::tm& t) {
  static constexpr std::array days{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return t.tm_mon >= 0 && t.tm_mon < 12 && t.tm_mday >= 1 &&
         t.tm_mday <= days[static_cast<size_t>(t.tm_mon)] && t.tm_hour < 24 && t.tm_min < 60 &&
         t.tm_sec <= 60;
}

// Matches the whole text with one of these strptime(3) formats.
std::optional<std::tm> match(const std::string& text, std::initializer_list<const char*> forms,
                             std::tm base) {
  for (const char* form : forms) {
    std::tm when = base;
    const char* end = strptime(text.c_str(), form, &when);
    if (end && *end == '\0' && in_range(when)) return when;
  }
  return std::nullopt;
}

}  // namespace

Result<int64_t> parse_time(std::string_view given, int64_t now_ns) {
  std::string text(given);
  std::tm today = local_day(now_ns);
  if (text == "now") return now_ns;
  if (text == "today") return local_ns(today);
  if (text == "yesterday") {
    --today.tm_mday;
    return local_ns(today);
  }
  if (auto utc = match(text, {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ"}, std::tm{}))
    return static_cast<int64_t>(timegm(&*utc)) * kSecond;
  if (auto when = match(text,
                        {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
                         "%Y-%m-%d %H:%M", "%Y-%m-%d"},
                        std::tm{}))
    return local_ns(*when);
  if (auto clock = match(text, {"%H:%M:%S", "%H:%M"}, today)) {
    const int64_t ns = local_ns(*clock);
    if (ns <= now_ns) return ns;
    --clock->tm_mday;
    return local_ns(*clock);
  }
  if (text.ends_with(" ago")) text.resize(text.size() - 4);
  if (const auto ago = parse_duration(text); ago && *ago <= now_ns) return now_ns - *ago;
  return fail("\"" + clean(given) +
              "\" is not a time; say 2026-11-21, \"2026-11-21 14:30\", 14:30 or \"10min ago\"");
}

}  // namespace fmd::cli
