#include "fmd/notify/journal_fields.h"

#include <algorithm>

#include "fmd/model/message_id.h"

namespace fmd {

std::vector<std::pair<std::string, std::string>> journal_fields(const Case& c,
                                                                std::string_view event) {
  const Suspect part = c.suspects.empty() ? Suspect{} : c.suspects.front();
  std::vector<std::pair<std::string, std::string>> fields = {
      {"MESSAGE_ID",
       event == "diagnosed" ? fault_message_id(c.code) : std::string(case_message_id(event))},
      {"FMD_UUID", c.uuid},
      {"FMD_EVENT", std::string(event)},
      {"FMD_CODE", c.code},
      {"FMD_SEVERITY", c.severity},
      {"FMD_CLASS", part.fault_class},
      {"FMD_FRU", part.fru_path.empty() ? part.fru : part.fru_path},
      {"FMD_BAY", part.location},
      {"FMD_SERIAL", part.serial}};
  // A rule file's text may be written over several lines.
  for (const auto& [name, value] : {std::pair{"FMD_DESCRIPTION", &c.description},
                                    {"FMD_IMPACT", &c.impact},
                                    {"FMD_RESPONSE", &c.response},
                                    {"FMD_ACTION", &c.action}}) {
    std::string flowing = *value;
    std::replace(flowing.begin(), flowing.end(), '\n', ' ');
    fields.emplace_back(name, std::move(flowing));
  }
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  return fields;
}

}  // namespace fmd
