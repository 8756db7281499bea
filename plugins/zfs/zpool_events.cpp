#include "plugins/zfs/zpool_events.h"

#include <charconv>

#include "fmd/base/duration.h"

namespace fmd::zfs {
namespace {

constexpr size_t kMaxBlock = 256 << 10;  // the kernel's events have about 4 KiB

bool digits(std::string_view text, std::string_view shape) {  // 9: a digit, _: digit or blank
  if (text.size() < shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == '9' ? !digit : shape[i] == '_' ? !digit && text[i] != ' ' : text[i] != shape[i])
      return false;
  }
  return true;
}

// "Nov 21 2026 02:48:49.964000000 class" → class; "" if it is not a header.
std::string_view header_class(std::string_view line) {
  constexpr std::string_view kShape = " _9 9999 99:99:99";
  if (line.size() < 3 + kShape.size() || line[0] < 'A' || line[0] > 'Z') return {};
  if (!digits(line.substr(3), kShape)) return {};
  const size_t last = line.find_last_of(' ');
  if (last < 3 + kShape.size()) return {};
  const auto name = line.substr(last + 1);
  return name.find('.') == std::string_view::npos ? std::string_view() : name;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// "0x0 0x3000 "; nullopt if one of them is not a number.
std::optional<std::vector<uint64_t>> parse_numbers(std::string_view text) {
  std::vector<uint64_t> values;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const auto number = parse_number(text.substr(0, end));
    if (!number) return {};
    values.push_back(*number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

// Position of the closing quote in `"WORD" (0x3)`; npos if it is not of that form.
size_t named_number(std::string_view value) {
  const size_t open = value.rfind("\" (");
  if (open == std::string_view::npos || open == 0 || !value.ends_with(")"))
    return std::string_view::npos;
  const auto number = value.substr(open + 3, value.size() - open - 4);
  return parse_number(number) ? open : std::string_view::npos;
}

bool string_closed(std::string_view value) {
  return value.size() >= 2 && (value.ends_with('"') || value.ends_with("\" ") ||
                               named_number(value) != std::string_view::npos);
}

std::vector<std::string> split_strings(std::string_view value) {  // "a" "b" ▸ a, b
  std::vector<std::string> result;
  value = value.substr(1, value.size() - 3);  // without outer quotes and trailing blank
  while (true) {
    const size_t end = value.find("\" \"");
    result.emplace_back(value.substr(0, end));
    if (end == std::string_view::npos) return result;
    value.remove_prefix(end + 3);
  }
}

EventMember quoted(std::string_view name, std::string_view value) {
  if (const size_t end = named_number(value); end != std::string_view::npos) {
    // Newer versions of zpool also print names for the numbers of zio_*; use the number.
    if (!name.starts_with("zio_")) return std::string(value.substr(1, end - 1));
    return *parse_number(value.substr(end + 3, value.size() - end - 4));
  }
  if (value.ends_with("\" ") && value.size() >= 3) return split_strings(value);
  return std::string(value.substr(1, value.size() - 2));
}

EventMember plain(std::string_view value) {
  if (value.empty()) return std::vector<uint64_t>();
  if (!value.ends_with(' ')) {
    if (const auto number = parse_number(value)) return *number;
    const size_t names = value.find(" [");  // "0x1000a0 [SCAN_THREAD CANFAIL]"
    if (names != std::string_view::npos && value.ends_with(']'))
      if (const auto number = parse_number(value.substr(0, names))) return *number;
  }
  if (auto numbers = parse_numbers(value)) return std::move(*numbers);
  return std::string(value);
}

}  // namespace

std::optional<uint64_t> ZpoolEvent::number(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name)
      if (const auto* found = std::get_if<uint64_t>(&value)) return *found;
  return {};
}

std::string_view ZpoolEvent::text(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name)
      if (const auto* found = std::get_if<std::string>(&value)) return *found;
  return {};
}

void ZpoolEventParser::reset() {
  if (inside_) ++damaged_;
  inside_ = in_string_ = false;
}

void ZpoolEventParser::begin(std::string_view header) {
  event_ = {};
  event_.event_class = header;
  inside_ = true;
  bad_ = have_class_ = have_time_ = have_eid_ = in_string_ = false;
  nested_ = bytes_ = 0;
}

std::optional<ZpoolEvent> ZpoolEventParser::finish() {
  if (!inside_) return {};
  inside_ = false;
  if (bad_ || !have_time_ || !have_eid_ || nested_ || event_.eid == 0) {
    ++damaged_;
    return {};
  }
  return std::move(event_);
}

std::optional<ZpoolEvent> ZpoolEventParser::line(std::string_view text) {
  if (inside_ && (bytes_ += text.size() + 1) > kMaxBlock) {
    bad_ = true;
    in_string_ = false;
  }
  if (in_string_) {
    string_value_ += '\n';
    string_value_ += text;
    if (text.ends_with('"')) {
      in_string_ = false;
      set(string_name_, string_value_);
    }
    return {};
  }
  if (text.empty()) return finish();
  if (text.front() != ' ') {
    auto done = finish();  // a block without its blank line
    if (const auto name = header_class(text); !name.empty()) begin(name);
    return done;
  }
  if (inside_ && !bad_) member(text);
  return {};
}

void ZpoolEventParser::member(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with("(end ")) {
    if (nested_ == 0)
      bad_ = true;
    else
      --nested_;
    return;
  }
  const size_t equals = text.find(" = ");
  std::string_view name, value;
  if (equals != std::string_view::npos) {
    name = text.substr(0, equals);
    value = text.substr(equals + 3);
  } else if (text.ends_with(" =")) {  // an empty array whose trailing blank got lost
    name = text.substr(0, text.size() - 2);
  } else {
    bad_ = true;
    return;
  }
  if (value.starts_with("(") &&
      (value.ends_with("embedded nvlist)") || value.ends_with("embedded nvlists)"))) {
    ++nested_;
    return;
  }
  if (value.starts_with('"') && !string_closed(value)) {
    in_string_ = true;
    string_name_ = name;
    string_value_ = value;
    return;
  }
  set(name, value);
}

void ZpoolEventParser::set(std::string_view name, std::string_view value) {
  if (nested_) return;
  if (have_eid_) {  // eid is the last member: anything after it is not the kernel's
    bad_ = true;
    return;
  }
  EventMember member = value.starts_with('"') ? quoted(name, value) : plain(value);
  if (name == "class") {
    const auto* text = std::get_if<std::string>(&member);
    if (!text || have_class_ || *text != event_.event_class) bad_ = true;
    have_class_ = true;
  } else if (name == "time") {
    const auto* parts = std::get_if<std::vector<uint64_t>>(&member);
    const bool good =
        parts && parts->size() == 2 && (*parts)[0] < (uint64_t{1} << 33) && (*parts)[1] < kSecondNs;
    if (!good || have_time_)
      bad_ = true;
    else
      event_.time_ns =
          static_cast<int64_t>((*parts)[0]) * kSecondNs + static_cast<int64_t>((*parts)[1]);
    have_time_ = true;
  } else if (name == "eid") {
    const auto* number = std::get_if<uint64_t>(&member);
    if (!number)
      bad_ = true;
    else
      event_.eid = *number;
    have_eid_ = true;
  } else {
    event_.members.emplace_back(name, std::move(member));
  }
}

std::vector<ZpoolEvent> parse_zpool_events(std::string_view text) {
  std::vector<ZpoolEvent> events;
  ZpoolEventParser parser;
  const auto take = [&](std::string_view line) {
    if (auto event = parser.line(line)) events.push_back(std::move(*event));
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  take("");
  return events;
}

}  // namespace fmd::zfs
