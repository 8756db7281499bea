#include "fmd/control/json_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd {

JsonFilter::JsonFilter() : doc_(std::make_unique<nlohmann::json>(nlohmann::json::object())) {}
JsonFilter::~JsonFilter() = default;
JsonFilter::JsonFilter(JsonFilter&&) noexcept = default;
JsonFilter& JsonFilter::operator=(JsonFilter&&) noexcept = default;

Result<JsonFilter> JsonFilter::parse(std::string_view text, std::vector<std::string> known) {
  JsonFilter filter;
  if (text.empty()) return filter;
  *filter.doc_ = nlohmann::json::parse(text, nullptr, false);
  if (!filter.doc_->is_object())
    return fail("the filter must be a JSON object, such as {} or {\"all\":true}");
  for (const auto& [name, value] : filter.doc_->items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    return fail(fmt::format("the filter has no member \"{}\"{}; it may have: {}", display(name),
                            near ? fmt::format(", did you mean \"{}\"?", *near) : "",
                            fmt::join(known, ", ")));
  }
  return filter;
}

std::string JsonFilter::text(const char* name) {
  const auto member = doc_->find(name);
  if (member == doc_->end()) return {};
  if (const auto* value = member->get_ptr<const std::string*>()) return *value;
  wrong_ = fmt::format("\"{}\" in the filter must be a text", name);
  return {};
}

std::vector<std::string> JsonFilter::texts(const char* name) {
  std::vector<std::string> out;
  const auto member = doc_->find(name);
  if (member == doc_->end()) return out;
  bool good = member->is_array();
  for (const auto& item : *member) {
    const auto* value = item.get_ptr<const std::string*>();
    good = good && value != nullptr;
    if (value) out.push_back(*value);
  }
  if (!good) wrong_ = fmt::format("\"{}\" in the filter must be an array of texts", name);
  return out;
}

bool JsonFilter::boolean(const char* name) {
  const auto member = doc_->find(name);
  if (member == doc_->end()) return false;
  if (const auto* value = member->get_ptr<const bool*>()) return *value;
  wrong_ = fmt::format("\"{}\" in the filter must be true or false", name);
  return false;
}

std::optional<int64_t> JsonFilter::integer(const char* name) {
  const auto member = doc_->find(name);
  if (member == doc_->end()) return {};
  const bool fits = member->is_number_integer() && (!member->is_number_unsigned() ||
                                                    member->get<uint64_t>() <= uint64_t{INT64_MAX});
  if (fits) return member->get<int64_t>();
  wrong_ = fmt::format("\"{}\" in the filter must be a whole number", name);
  return {};
}

Result<void> JsonFilter::outcome() const {
  if (!wrong_.empty()) return fail(wrong_);
  return {};
}

}  // namespace fmd
