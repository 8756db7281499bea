#include "plugins/sdk/internal/line_bounds.h"

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/protocol/parse.h"

namespace fmd::sdk {

using nlohmann::json;

size_t line_bytes(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace).size();
}

std::string cut_text(std::string_view text) {
  return std::string(text.substr(0, kLongestText));
}

void cut_texts(json& value) {
  if (value.is_structured())
    for (json& one : value) cut_texts(one);
  else if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestText)
    value = cut_text(value.get_ref<const std::string&>());
}

Fit fit_resource(json& resource) {
  if (json_text(resource, "fmri").size() > protocol::kMaxFmri) return Fit::unfit;
  if (const auto edges = resource.find("edges"); edges != resource.end() && edges->is_array())
    edges->erase(std::remove_if(edges->begin(), edges->end(),
                                [](const json& edge) {
                                  return json_text(edge, "to").size() > protocol::kMaxFmri;
                                }),
                 edges->end());
  cut_texts(resource);
  const size_t bytes = line_bytes(resource);
  if (bytes <= kMostOfLine) return Fit::whole;
  resource["properties"] = {{"dropped_bytes", bytes}};
  resource["edges"] = json::array();
  return Fit::reduced;
}

std::vector<json> split_list(json list) {
  std::vector<json> parts{json::array()};
  size_t bytes = 0;
  for (json& one : list) {
    const size_t size = line_bytes(one) + 1;  // with the comma
    if (bytes + size > kMostOfLine && !parts.back().empty()) {
      parts.push_back(json::array());
      bytes = 0;
    }
    bytes += size;
    parts.back().push_back(std::move(one));
  }
  return parts;
}

}  // namespace fmd::sdk
