#include "fmd/control/list_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {

Result<JsonFilter> ListAnswer::filter(Paging paging, std::string_view text,
                                      std::vector<std::string> known) {
  if (paging == Paging::page) known.emplace_back("after");
  return JsonFilter::parse(text, std::move(known));
}

ListAnswer::ListAnswer(Paging paging, JsonFilter& filter, size_t most_bytes)
    : paging_(paging),
      most_bytes_(paging == Paging::page ? kPageBytes : most_bytes),
      after_(paging == Paging::page ? filter.text("after") : "") {}

bool ListAnswer::add(std::string_view key, const nlohmann::json& item) {
  return !wants(key) || add_text(key, dump_json(item));
}

bool ListAnswer::add_text(std::string_view key, std::string_view text) {
  if (!wants(key)) return true;
  // An item larger than a page is a page of its own.
  if (!items_.empty() && items_.size() + text.size() >= most_bytes_) {
    more_ = true;
    return false;
  }
  if (!items_.empty()) items_ += ',';
  items_ += text;
  next_ = key;
  return true;
}

bool ListAnswer::end_at(std::string_view key) {
  next_ = key;
  more_ = true;
  return false;
}

Result<std::string> ListAnswer::text() const {
  if (paging_ == Paging::page)
    return fmt::format(R"({{"items":[{}],"next":{},"more":{}}})", items_, dump_json(next_), more_);
  if (more_)
    return fail(fmt::format("the list is longer than {} KiB: ask for it in pages, by ListPage",
                            most_bytes_ >> 10));
  return fmt::format("[{}]", items_);
}

std::pair<uint64_t, std::string> ListAnswer::after_number() const {
  const size_t dot = std::min(after_.find('.'), after_.size());
  std::pair<uint64_t, std::string> out;
  std::from_chars(after_.data(), after_.data() + dot, out.first);
  if (dot < after_.size()) out.second = after_.substr(dot + 1);
  return out;
}

std::string numbered_key(uint64_t number, std::string_view name) {
  return fmt::format("{:020}.{}", number, name);
}

}  // namespace fmd
