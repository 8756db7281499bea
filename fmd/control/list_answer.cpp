#include "fmd/control/list_answer.h"

#include <fmt/format.h>

#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {

Result<JsonFilter> ListAnswer::filter(Paging paging, std::string_view text,
                                      std::vector<std::string> known) {
  if (paging == Paging::page) known.emplace_back("after");
  return JsonFilter::parse(text, std::move(known));
}

ListAnswer::ListAnswer(Paging paging, JsonFilter& filter)
    : paging_(paging), after_(paging == Paging::page ? filter.text("after") : "") {}

bool ListAnswer::add(std::string_view key, const nlohmann::json& item) {
  if (!wants(key)) return true;
  const std::string text = dump_json(item);
  // One that is larger than a page is a page of its own.
  if (!items_.empty() && items_.size() + text.size() >= kMostBytes) {
    more_ = true;
    return false;
  }
  if (!items_.empty()) items_ += ',';
  items_ += text;
  next_ = key;
  return true;
}

Result<std::string> ListAnswer::text() const {
  if (paging_ == Paging::page)
    return fmt::format(R"({{"items":[{}],"next":{},"more":{}}})", items_, dump_json(next_), more_);
  if (more_) return fail("the list is longer than a mebibyte: ask for it in pages, by ListPage");
  return fmt::format("[{}]", items_);
}

}  // namespace fmd
