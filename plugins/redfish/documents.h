// Documents: what a Redfish service said, by URI, as far as one look has come. JSON from a network: any
// member may be missing, or of another type. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"

namespace fmd::redfish {

struct Document {
  nlohmann::json body;
  std::string etag;
  size_t bytes = 0, values = 0;  // of the answer: see Budget
};
using Documents = std::map<std::string, Document, std::less<>>;

// A path of the service's own, and no address of somewhere else.
bool is_uri(std::string_view text);

// A member at a path, "Status/Health"; null where it is not.
const nlohmann::json& at(const nlohmann::json& doc, std::string_view path);
std::string text(const nlohmann::json& doc, std::string_view path);
bool truth(const nlohmann::json& doc, std::string_view path);
// Where a link leads ("@odata.id"); "" nowhere in this service.
std::string link(const nlohmann::json& doc, std::string_view path);
// Of a collection, or of any array of links.
std::vector<std::string> links(const nlohmann::json& doc, std::string_view path);

}  // namespace fmd::redfish
