#include "fmd/chassis/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "fmd/base/glob.h"
#include "fmd/base/text.h"

namespace fmd::chassis {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

std::optional<long> to_number(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.size() > 9) return {};
  return number;
}

// The value for the text between two braces: a name, an added number, a width with leading zeros.
Result<std::string> value_of(std::string_view inside, const Values& values) {
  const auto bad = [&] {
    std::vector<std::string> names;
    for (const auto& [name, value] : values) names.push_back("{" + name + "}");
    return fail(fmt::format("\"{{{}}}\" cannot be filled in; known here: {}", display(inside),
                            fmt::join(names, ", ")));
  };
  std::string_view width, added;
  if (const size_t colon = inside.find(':'); colon != inside.npos) {
    width = inside.substr(colon + 1);
    inside = inside.substr(0, colon);
    if (width.size() != 2 || width[0] != '0' || width[1] < '1' || width[1] > '9') return bad();
  }
  if (const size_t sign = inside.find_first_of("+-"); sign != inside.npos) {
    added = inside.substr(sign);
    inside = inside.substr(0, sign);
  }
  const auto value = values.find(inside);
  if (value == values.end()) return bad();
  if (width.empty() && added.empty()) return value->second;
  const auto number = to_number(value->second);
  const auto more = added.empty() ? std::optional<long>(0) : to_number(added.substr(1));
  if (!number || !more) return bad();
  const long sum = !added.empty() && added[0] == '-' ? *number - *more : *number + *more;
  return width.empty() ? std::to_string(sum) : fmt::format("{:0{}}", sum, width[1] - '0');
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  return fmd::glob_matches(glob, trimmed(text));
}

int glob_weight(std::string_view glob) {
  const auto wild =
      std::count_if(glob.begin(), glob.end(), [](char c) { return c == '*' || c == '?'; });
  return static_cast<int>(glob.size()) - static_cast<int>(wild) + (wild == 0 ? 1 : 0);
}

Result<std::string> fill(std::string_view pattern, const Values& values) {
  std::string out;
  while (!pattern.empty()) {
    const size_t open = pattern.find('{');
    out += pattern.substr(0, open);
    if (open == pattern.npos) break;
    const size_t close = pattern.find('}', open);
    if (close == pattern.npos)
      return fail(fmt::format("\"{}\" has a brace that is not closed", display(pattern)));
    auto value = value_of(pattern.substr(open + 1, close - open - 1), values);
    if (!value) return value;
    out += *value;
    pattern.remove_prefix(close + 1);
  }
  return out;
}

Result<std::vector<std::string>> expand_ids(const std::vector<std::string>& written,
                                            const std::vector<std::string>& ids) {
  std::set<std::string> meant;
  for (const std::string& one : written) {
    const size_t dash = one.find('-');
    const auto first = to_number(std::string_view(one).substr(0, dash));
    const auto last = dash == one.npos ? first : to_number(std::string_view(one).substr(dash + 1));
    bool any = false;
    for (const std::string& id : ids) {
      const auto number = to_number(id);
      const bool in_range = first && last && number && *number >= *first && *number <= *last;
      if (!in_range && !glob_matches(one, id)) continue;
      meant.insert(id);
      any = true;
    }
    if (!any) return fail(fmt::format("\"{}\" is no bay of this chassis", display(one)));
  }
  std::vector<std::string> out;
  for (const std::string& id : ids)
    if (meant.count(id)) out.push_back(id);
  return out;
}

}  // namespace fmd::chassis
