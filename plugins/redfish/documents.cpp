#include "plugins/redfish/documents.h"

#include <algorithm>

namespace fmd::redfish {
namespace {

using nlohmann::json;
constexpr size_t kLongestUri = 512;
const json kNothing;

}  // namespace

bool is_uri(std::string_view text) {
  return text.starts_with("/redfish/") && text.size() <= kLongestUri &&
         std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c <= ' ' || c >= 0x7f; });
}

const json& at(const json& doc, std::string_view path) {
  const json* here = &doc;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (!here->is_object()) return kNothing;
    const auto found = here->find(std::string(path.substr(0, end)));
    if (found == here->end()) return kNothing;
    here = &*found;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return *here;
}

std::string text(const json& doc, std::string_view path) {
  const json& found = at(doc, path);
  if (!found.is_string()) return {};
  return found.get_ref<const std::string&>().substr(0, kLongestText);
}

bool truth(const json& doc, std::string_view path) {
  const json& found = at(doc, path);
  return found.is_boolean() && found.get<bool>();
}

std::string link(const json& doc, std::string_view path) {
  const json& found = at(doc, path);
  if (!found.is_object()) return {};
  const auto id = found.find("@odata.id");
  if (id == found.end() || !id->is_string() || !is_uri(id->get<std::string>())) return {};
  return id->get<std::string>();
}

std::vector<std::string> links(const json& doc, std::string_view path) {
  std::vector<std::string> out;
  const json& found = at(doc, path);
  if (!found.is_array()) return out;
  for (const json& one : found)
    if (std::string uri = link(one, ""); !uri.empty()) out.push_back(std::move(uri));
  return out;
}

}  // namespace fmd::redfish
