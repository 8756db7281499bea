// Text for terminals, mails and error messages, from sources that may be hostile (serial numbers,
// pool names). No function here passes control bytes or invalid UTF-8.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd {

// Keeps printable UTF-8; control characters (also bidi overrides and zero-width characters) and
// invalid UTF-8 become \xNN. Text longer than max_chars code points is cut with "…".
std::string display(std::string_view raw, size_t max_chars = 200);
// JSON text without deceptive characters: those that display() would escape are written as "\uNNNN"
// (RFC 8259, 7), which is the same document.
std::string plain_json(std::string text);
// The longest valid UTF-8 prefix within max_bytes that ends at a character boundary.
std::string whole_utf8(std::string_view text, size_t max_bytes);
// The candidate nearest to word by edit distance, if it may be a slip (≤ 1/3 of its length).
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);
// "10min", "15s", "72h", "500ms", "30d", "1 week" → nanoseconds.
Result<int64_t> parse_duration(std::string_view text);
std::string format_duration(int64_t ns);  // the shortest exact form, "10min"
// Local time, "Nov 21 02:48:49" as fmadm prints it, and ISO 8601 UTC with ms for JSON.
std::string format_time_fma(int64_t time_ns);
std::string format_time_iso(int64_t time_ns);
std::string format_bytes(uint64_t bytes);  // "256 MiB"

}  // namespace fmd
