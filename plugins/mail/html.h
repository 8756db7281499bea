// A message's sections as HTML, for a mail: everything that comes from elsewhere is escaped. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace fmd::mail {

std::string escaped_html(std::string_view text);
std::string escaped_html_lines(std::string_view text);  // line ends stay
// sections: schemas/plugin-protocol.md § deliver args. after_lead: HTML put behind what is to be done.
std::string html_of(const nlohmann::json& sections, std::string_view after_lead);
// What goes into ${style}: readable from 360 px on, light and dark.
std::string html_style();
// The page that is used without a template.
std::string shipped_html();

}  // namespace fmd::mail
