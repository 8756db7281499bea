#include "fmd/notify/journal_fields.h"

#include <algorithm>

#include "fmd/model/message_id.h"
#include "fmd/notify/explain_link.h"

namespace fmd {
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) out += (out.empty() ? "" : " ") + sentence;
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> journal_fields(const Case& c, const Say& say,
                                                                std::string_view event,
                                                                std::string_view explain_url) {
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
      {"FMD_SERIAL", part.serial},
      {"DOCUMENTATION",
       explain_link(explain_url, c.code)}};  // journalctl -o verbose, systemd.journal-fields(7)
  // Joins the lines of a rule file's text.
  const auto add = [&](const char* name, std::string flowing) {
    std::replace(flowing.begin(), flowing.end(), '\n', ' ');
    fields.emplace_back(name, std::move(flowing));
  };
  add("FMD_HEADLINE", say.headline);
  add("FMD_DESCRIPTION", c.description);
  add("FMD_IMPACT", c.impact);
  add("FMD_RESPONSE", joined(say.done));
  add("FMD_ACTION", say.steps.empty() ? say.do_now : say.do_now + " " + joined(say.steps));
  if (say.safe_to_pull.answer != PullSafety::Answer::not_a_part)
    add("FMD_SAFE_TO_PULL",
        std::string(answer_name(say.safe_to_pull.answer)) + ": " + say.safe_to_pull.why);
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  return fields;
}

}  // namespace fmd
