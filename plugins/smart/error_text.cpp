// Parses the error logs of a SCSI disk from smartctl's text output ("smartctl -l error").
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/report.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr size_t kColumns = 7;  // of the table of error counters; the last is total uncorrected

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> list;
  while (true) {
    const size_t from = line.find_first_not_of(" \t\r");
    if (from == line.npos) return list;
    line.remove_prefix(from);
    const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    list.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// The leading digits of text.
std::optional<uint64_t> count_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

void read_line(std::string_view line, json& doc) {
  const auto list = words(line);
  if (list.size() == kColumns + 1)
    for (const char* what : {"read", "write", "verify"})
      if (list[0] == std::string(what) + ":")
        if (const auto count = count_of(list.back()))
          doc["scsi_error_counter_log"][what]["total_uncorrected_errors"] = *count;
  constexpr std::string_view kPending = "Pending defect count:";
  const size_t at = line.find(kPending);
  if (at == line.npos) return;
  const size_t digits = line.find_first_not_of(' ', at + kPending.size());
  if (const auto count = count_of(line.substr(std::min(digits, line.size()))))
    doc["scsi_pending_defects"]["count"] = *count;
}

}  // namespace

std::string with_error_counters(const std::string& text, std::string_view printed) {
  json doc = read_document(text);
  if (doc.empty()) return text;
  for (const char* name : {"scsi_error_counter_log", "scsi_pending_defects"}) doc.erase(name);
  while (!printed.empty()) {
    const size_t end = std::min(printed.find('\n'), printed.size());
    read_line(printed.substr(0, end), doc);
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  return doc.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fmd::smart
