// Documents: JSON documents of a Redfish service by URI, from one poll. The network is not trusted:
// any member may be missing or of another type. Pure.
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

// True for a path of this service; false for an address elsewhere.
bool is_uri(std::string_view text);

// The member at a path, "Status/Health"; null if missing.
const nlohmann::json& at(const nlohmann::json& doc, std::string_view path);
// "" if it is not a string; cut after kLongestText bytes, because several texts become one message.
constexpr size_t kLongestText = 1000;
std::string text(const nlohmann::json& doc, std::string_view path);
bool truth(const nlohmann::json& doc, std::string_view path);
// The target of a link ("@odata.id"); "" if it is not in this service.
std::string link(const nlohmann::json& doc, std::string_view path);
// The links of a collection or of any array.
std::vector<std::string> links(const nlohmann::json& doc, std::string_view path);

}  // namespace fmd::redfish
