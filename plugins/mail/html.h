// A message's sections as HTML for a mail. All text from outside is escaped. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace fmd::mail {

std::string escaped_html(std::string_view text);
std::string escaped_html_lines(std::string_view text);  // keeps line breaks
// sections: schemas/plugin-protocol.md § deliver args. after_lead: HTML placed after the actions.
std::string html_of(const nlohmann::json& sections, std::string_view after_lead);
// The value of ${style}: readable from 360 px on, light and dark.
std::string html_style();
// The page used without a template.
std::string shipped_html();

}  // namespace fmd::mail
