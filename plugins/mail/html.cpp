#include "plugins/mail/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd::mail {
namespace {

using nlohmann::json;

constexpr size_t kLongestText = 10000;

std::string text_of(const json& value) {
  return value.is_string() ? escaped_html(value.get<std::string>()) : std::string();
}

// Two cells per row: a name or a time, and its text.
std::string rows(const json& pairs, std::string_view kind) {
  std::string out = fmt::format("<table class=\"{}\" role=\"presentation\">\n", kind);
  for (const json& pair : pairs)
    if (pair.is_array() && pair.size() == 2)
      out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", text_of(pair[0]),
                         text_of(pair[1]));
  return out + "</table>\n";
}

std::string each(const json& texts, std::string_view before, std::string_view after) {
  std::string out;
  for (const json& text : texts) out.append(before).append(text_of(text)).append(after);
  return out;
}

std::string html_of_part(const std::string& kind, const json& what) {
  if (kind == "lead") return each(what, "<p class=\"lead\">", "</p>\n");
  if (kind == "text") return each(what, "<p>", "</p>\n");
  if (kind == "fields" || kind == "entries") return rows(what, kind);
  if (kind == "items") return "<ul>\n" + each(what, "<li>", "</li>\n") + "</ul>\n";
  if (kind == "commands") return each(what, "<pre>", "</pre>\n");
  return {};
}

}  // namespace

std::string escaped_html(std::string_view raw) {
  std::string out;
  for (const char c : display(raw, kLongestText)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string escaped_html_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += escaped_html(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string html_of(const json& sections, std::string_view after_lead) {
  std::string out;
  bool placed = after_lead.empty();
  for (const json& section : sections) {
    if (!section.is_object()) continue;
    const json title = section.value("title", json());
    if (!text_of(title).empty()) {
      if (!std::exchange(placed, true)) out += after_lead;
      out += "<h2>" + text_of(title) + "</h2>\n";
    }
    for (const json& part : section.value("parts", json::array())) {
      if (!part.is_object() || part.empty() || !part.begin()->is_array()) continue;
      // The picture comes after the first sentences, before the table of details.
      if (part.begin().key() == "fields" && !std::exchange(placed, true)) out += after_lead;
      out += html_of_part(part.begin().key(), *part.begin());
    }
  }
  if (!placed) out += after_lead;
  return out;
}

}  // namespace fmd::mail
