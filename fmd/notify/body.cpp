#include "fmd/notify/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/notify/wrap.h"

namespace fmd {
namespace {

constexpr size_t kLongestParagraph = 4000, kLongestEntry = 1000;

// Joins the lines of a rule file's text.
std::string flowing(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return display(out, kLongestParagraph);
}

}  // namespace

Body::Body() : sections_(std::make_unique<nlohmann::json>(nlohmann::json::array())) {}
Body::~Body() = default;

void Body::begin(std::string_view title) {
  sections_->push_back({{"title", title}, {"parts", nlohmann::json::array()}});
}

// Adjacent parts of one kind are grouped: {"fields": [...]}.
void Body::put(const char* kind, nlohmann::json what) {
  if (sections_->empty()) begin("");
  nlohmann::json& parts = sections_->back()["parts"];
  if (parts.empty() || !parts.back().contains(kind))
    parts.push_back({{kind, nlohmann::json::array()}});
  parts.back()[kind].push_back(std::move(what));
}

void Body::lead(std::string_view text) {
  const std::string shown = flowing(text);
  plain_ += wrap(shown, 0);
  blank();
  put("lead", shown);
  begin("");
}

void Body::line(std::string_view text, size_t indent) {
  plain_ += wrap(text, indent);
  put("text", std::string(text));
}

void Body::paragraph(std::string_view text, size_t indent) {
  line(flowing(text), indent);
}

void Body::heading(std::string_view title) {
  blank();
  plain_ += wrap(title, 0);
  begin(title);
}

void Body::rule() {
  plain_ += "\n--------\n";
  begin("");
}

void Body::section(std::string_view title, std::string_view text) {
  if (text.empty()) return;
  heading(title);
  paragraph(text, 2);
}

void Body::field(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const std::string shown = display(value);
  plain_ += wrap(shown, 16, fmt::format("  {}", name));
  put("fields", nlohmann::json::array({std::string(name), shown}));
}

void Body::items(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) item(sentence);
}

void Body::item(std::string_view sentence, size_t indent, std::string_view bullet) {
  plain_ += wrap(sentence, indent, bullet);
  put("items", std::string(sentence));
}

void Body::command(std::string_view text) {
  plain_ += fmt::format("  {}\n", text);
  put("commands", std::string(text));
}

void Body::entry(int64_t time_ns, std::string_view text) {
  const std::string shown = display(text, kLongestEntry), time = format_time_fma(time_ns);
  plain_ += wrap(shown, 19, fmt::format("  {}", time));
  put("entries", nlohmann::json::array({time, shown}));
}

BodyText Body::take() {
  std::erase_if(sections_->get_ref<nlohmann::json::array_t&>(),
                [](const nlohmann::json& section) { return section["parts"].empty(); });
  return {std::exchange(plain_, {}), dump_json(std::exchange(*sections_, nlohmann::json::array()))};
}

}  // namespace fmd
