#include "fmd/store/journal_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "fmd/base/json_value.h"
#include "fmd/base/on_demand.h"
#include "fmd/store/store.h"

namespace fmd::store {

namespace {

constexpr size_t kMostKnown = 1024;

constexpr std::string_view kSeqKey = "{\"seq\":";
constexpr std::string_view kClassKey = ",\"class\":\"";
constexpr std::string_view kResourceKey = ",\"resource\":\"";

// A string member without escapes.
bool take_plain(std::string_view& rest, std::string_view key, std::string_view& text) {
  if (!rest.starts_with(key)) return false;
  rest.remove_prefix(key.size());
  const size_t close = rest.find_first_of("\"\\");
  if (close == std::string_view::npos || rest[close] != '"') return false;
  text = rest.substr(0, close);
  rest.remove_prefix(close + 1);
  return true;
}

void append_number(auto number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

}  // namespace

void append_line(const Event& event, std::string& out) {
  out += kSeqKey;
  append_number(event.seq, out);
  out += ",\"class\":";
  append_json_text(event.event_class, out);
  out += ",\"resource\":";
  append_json_text(event.resource, out);
  out += ",\"time\":";
  append_number(event.time_ns, out);
  out += ",\"received\":";
  append_number(event.received_ns, out);
  out += ",\"ena\":";
  append_number(event.ena, out);
  out += ",\"source\":";
  append_json_text(event.source, out);
  out += ",\"payload\":";
  const size_t payload = out.size();
  out += event.payload_json.empty() ? std::string_view("{}") : std::string_view(event.payload_json);
  // In JSON, line breaks can only be white space between tokens: replacing them is safe.
  for (const char line_break : {'\r', '\n'})
    for (size_t i = out.find(line_break, payload); i != std::string::npos;
         i = out.find(line_break, i))
      out[i] = ' ';
  out += "}\n";
}

bool peek(std::string_view line, LineHead& head) {
  if (!line.starts_with(kSeqKey)) return false;
  const char* begin = line.data() + kSeqKey.size();
  const char* end = line.data() + line.size();
  const auto number = std::from_chars(begin, end, head.seq);
  if (number.ec != std::errc()) return false;
  std::string_view rest(number.ptr, static_cast<size_t>(end - number.ptr));
  return take_plain(rest, kClassKey, head.event_class) &&
         take_plain(rest, kResourceKey, head.resource);
}

bool matches_glob(std::string_view text, std::string_view pattern) {
  constexpr size_t kNone = std::string_view::npos;
  size_t t = 0, p = 0, star = kNone, star_t = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_t = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != kNone) {  // the last star takes one more character
      p = star + 1;
      t = ++star_t;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

ClassGlob::ClassGlob(std::string_view glob) : kind_(Kind::exact), text_(glob) {
  const size_t special = glob.find_first_of("*?");
  if (glob.empty() || glob == "*") {
    kind_ = Kind::all;
  } else if (special == glob.size() - 1 && glob.back() == '*') {
    kind_ = Kind::prefix;
    text_.pop_back();
  } else if (special != std::string_view::npos) {
    kind_ = Kind::pattern;
  }
}

bool ClassGlob::matches(std::string_view event_class) const {
  switch (kind_) {
    case Kind::all:
      return true;
    case Kind::exact:
      return event_class == text_;
    case Kind::prefix:
      return event_class.starts_with(text_);
    case Kind::pattern:
      break;
  }
  if (const auto known = known_.find(event_class); known != known_.end()) return known->second;
  const bool same = matches_glob(event_class, text_);
  if (known_.size() < kMostKnown) known_.emplace(event_class, same);
  return same;
}

struct LineParser::Impl {
  simdjson::ondemand::parser parser;
};

const size_t LineParser::kPadding = simdjson::SIMDJSON_PADDING;

LineParser::LineParser() : impl_(std::make_unique<Impl>()) {}
LineParser::~LineParser() = default;

Result<void> LineParser::parse(std::string_view line, Event& event) {
  const simdjson::padded_string_view padded(line.data(), line.size(),
                                            line.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  std::string_view text;
  const auto take = [&](const char* key, auto& into) {
    if (const auto error = document[key].get_string().get(text)) return error;
    into = text;
    return simdjson::SUCCESS;
  };
  const auto parse_members = [&]() -> simdjson::error_code {
    if (const auto error = impl_->parser.iterate(padded).get(document)) return error;
    if (const auto error = document["seq"].get_uint64().get(event.seq)) return error;
    if (const auto error = take("class", event.event_class)) return error;
    if (const auto error = take("resource", event.resource)) return error;
    if (const auto error = document["time"].get_int64().get(event.time_ns)) return error;
    if (const auto error = document["received"].get_int64().get(event.received_ns)) return error;
    if (const auto error = document["ena"].get_uint64().get(event.ena)) return error;
    if (const auto error = take("source", event.source)) return error;
    simdjson::ondemand::object payload;
    if (const auto error = document["payload"].get_object().get(payload)) return error;
    if (const auto error = simdjson::to_json_string(payload).get(text)) return error;
    event.payload_json.assign(text);
    return simdjson::SUCCESS;
  };
  // The parser reads only what is requested, so this checks that the line ends after the payload:
  // otherwise it was cut or altered.
  const auto ends_well = [&] {
    const char* after = text.data() + text.size();
    std::string_view rest(after, static_cast<size_t>(line.data() + line.size() - after));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return rest == "}";
  };
  if (const auto error = parse_members())
    return fail(fmt::format("not a line of the journal: {}", simdjson::error_message(error)));
  if (!ends_well()) return fail("not a line of the journal: it does not end with its payload");
  event.payload = Payload();
  return {};
}

}  // namespace fmd::store

namespace fmd {

std::string event_to_line(const Event& event) {
  std::string line;
  store::append_line(event, line);
  line.pop_back();
  return line;
}

Result<Event> event_from_line(std::string_view line) {
  std::string padded(line);
  padded.reserve(line.size() + store::LineParser::kPadding);
  store::LineParser parser;
  Event event;
  // The padding may have any content but must be initialised memory.
  padded.append(store::LineParser::kPadding, ' ');
  const auto parsed = parser.parse(std::string_view(padded).substr(0, line.size()), event);
  if (!parsed) return tl::unexpected(parsed.error());
  return event;
}

}  // namespace fmd
