#include "plugins/mail/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "fmd/base/text.h"
#include "plugins/mail/html.h"

namespace fmd::mail {
namespace {

constexpr uintmax_t kLargest = 256 << 10;

const std::vector<std::string> kPlain = {
    "subject", "body",   "host",  "event",       "severity", "code",   "class",  "uuid", "title",
    "bay",     "serial", "model", "description", "response", "impact", "action", "time"};
const std::vector<std::string> kOfHtml = {"content", "picture", "style", "state", "tone"};

struct Placeholder {
  size_t begin = 0, end = 0;  // "${name}" or "$$"
  std::string_view name;      // "" for "$$"
  bool broken = false;        // no closing brace or no name
};

std::optional<Placeholder> next_placeholder(std::string_view text, size_t from) {
  for (size_t at = text.find('$', from); at != text.npos; at = text.find('$', at + 1)) {
    if (at + 1 >= text.size()) return {};
    if (text[at + 1] == '$') return Placeholder{at, at + 2, {}, false};
    if (text[at + 1] != '{') continue;  // a literal dollar: "$5"
    const size_t close = text.find_first_of("}\n", at);
    const bool whole = close != text.npos && text[close] == '}' && close > at + 2;
    if (!whole) return Placeholder{at, at + 2, {}, true};
    return Placeholder{at, close + 1, text.substr(at + 2, close - at - 2), false};
  }
  return {};
}

int line_of(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

Result<void> check(const std::string& file, std::string_view text, bool html) {
  std::vector<std::string> known = kPlain;
  if (html) known.insert(known.end(), kOfHtml.begin(), kOfHtml.end());
  for (size_t from = 0; const auto found = next_placeholder(text, from);) {
    from = found->end;
    const int line = line_of(text, found->begin);
    if (found->broken)
      return tl::unexpected(Error{"a placeholder is written ${name}; $$ is a dollar", file, line});
    if (found->name.empty() || std::find(known.begin(), known.end(), found->name) != known.end())
      continue;
    const auto near = nearest(found->name, known);
    return tl::unexpected(Error{fmt::format("unknown placeholder ${{{}}}{}", display(found->name),
                                            near ? ", did you mean ${" + *near + "}?" : ""),
                                file, line});
  }
  return {};
}

Result<std::string> read(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (!error && size > kLargest) return tl::unexpected(Error{"is over 256 KiB", file.string(), 0});
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (error || in.bad()) return tl::unexpected(Error{"cannot be read", file.string(), 0});
  // Only detects control characters and invalid UTF-8; the text is kept as it is.
  std::string flat = text;
  std::replace_if(
      flat.begin(), flat.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  if (display(flat, flat.size() + 1) != flat)
    return tl::unexpected(Error{"is not plain text in UTF-8", file.string(), 0});
  return text;
}

}  // namespace

Templates::Templates() : html(shipped_html()) {}

std::string filled(std::string_view text, const Values& values) {
  std::string out;
  size_t from = 0;
  while (const auto found = next_placeholder(text, from)) {
    out += text.substr(from, found->begin - from);
    if (found->name.empty())
      out += '$';
    else if (const auto value = values.find(found->name); value != values.end())
      out += value->second;
    from = found->end;
  }
  return out.append(text.substr(from));
}

Result<Templates> Templates::load(const std::string& folder) {
  namespace fs = std::filesystem;
  Templates out;
  const std::map<std::string, std::string*> parts = {
      {"subject.txt", &out.subject}, {"body.txt", &out.body}, {"body.html", &out.html}};
  std::error_code error;
  fs::directory_iterator files(folder, error);
  if (error == std::errc::no_such_file_or_directory) return out;
  if (error) return tl::unexpected(Error{"cannot be read: " + error.message(), folder, 0});
  for (const fs::directory_entry& file : files) {
    const std::string name = file.path().filename().string();
    if (name.starts_with('.') || name.ends_with('~')) continue;
    const auto part = parts.find(name);
    if (part == parts.end())
      return tl::unexpected(Error{"is no template: subject.txt, body.txt and body.html are",
                                  file.path().string(), 0});
    auto text = read(file.path());
    if (!text) return tl::unexpected(text.error());
    if (auto good = check(file.path().string(), *text, name == "body.html"); !good)
      return tl::unexpected(good.error());
    *part->second = std::move(*text);
  }
  while (out.subject.ends_with('\n')) out.subject.pop_back();
  if (out.subject.find('\n') != out.subject.npos)
    return tl::unexpected(Error{"a subject is one line", folder + "/subject.txt", 2});
  return out;
}

}  // namespace fmd::mail
