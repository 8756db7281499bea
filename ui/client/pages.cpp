#include "ui/client/pages.h"

#include <utility>

#include "fmd/base/json.h"

namespace fmd::ui {
namespace {

using nlohmann::json;

// Methods and their names in ListPage. Explanations have no method of their own.
constexpr std::pair<std::string_view, const char*> kLists[] = {
    {"ListCases", "cases"}, {"ListResources", "resources"}, {"ListBayHistory", "bay-history"},
    {"ListSerd", "serd"},   {"ListOutbox", "outbox"},       {"ListExplanations", "explanations"}};

const char* list_of(std::string_view method) {
  for (const auto& [name, list] : kLists)
    if (name == method) return list;
  return nullptr;
}

std::string argument(const json& filter) {
  return filter.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Moves the link to the next page from page to filter. False: this was the last page.
bool turn(json& page, json& filter) {
  const bool more = page.is_object() && page.value("more", false);
  if (more) filter["after"] = page.value("next", "");
  if (page.is_object()) {
    page.erase("more");
    page.erase("next");
  }
  return more;
}

Result<json> all_items(const char* list, json filter, const AskOnce& ask) {
  auto all = json::array();
  for (bool more = true; more;) {
    auto page = ask({"ListPage", {list, argument(filter)}});
    if (!page) return page;
    more = turn(*page, filter);
    const auto items = page->find("items");
    if (items == page->end() || !items->is_array())
      return fail("fmd's answer is not what this program expects; are their versions the same?");
    for (json& item : *items) all.push_back(std::move(item));
  }
  return all;
}

Result<json> all_series(json filter, const AskOnce& ask) {
  json all;
  for (bool more = true; more;) {
    auto page = ask({"ListReadings", {argument(filter)}});
    if (!page) return page;
    more = turn(*page, filter);
    if (all.is_null()) {
      all = std::move(*page);
      continue;
    }
    for (json& series : (*page)["series"]) all["series"].push_back(std::move(series));
    if (page->contains("damage")) all["damage"] = (*page)["damage"];
  }
  return all;
}

}  // namespace

bool is_paged(std::string_view method) {
  return list_of(method) != nullptr;
}

Question first_question(std::string_view method, const json& filter) {
  if (const char* list = list_of(method)) return {"ListPage", {list, argument(filter)}};
  return {std::string(method), {argument(filter)}};
}

Result<json> whole_answer(std::string_view method, json filter, const AskOnce& ask) {
  if (const char* list = list_of(method)) return all_items(list, std::move(filter), ask);
  if (method == "ListReadings") return all_series(std::move(filter), ask);
  return ask(first_question(method, filter));
}

}  // namespace fmd::ui
