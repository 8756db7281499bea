#include "fmd/chassis/render.h"

#include <fmt/format.h>

namespace fmd::chassis {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04X}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string array(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + in_quotes(text);
  return "[" + out + "]";
}

// Braces are written as they are, since templates have no escape for them.
void line(std::string& out, const char* key, const std::string& text) {
  if (!text.empty()) out += fmt::format("{} = {}\n", key, in_quotes(text));
}

void box(std::string& out, const Box& box) {
  if (box.x)
    out += fmt::format("x_mm = {:.1f}\ny_mm = {:.1f}\nw_mm = {:.1f}\nh_mm = {:.1f}\n", *box.x,
                       *box.y, *box.w, *box.h);
}

void led(std::string& out, const char* key, const std::optional<Led>& led) {
  if (!led) return;
  std::string inside;
  if (!led->methods.empty()) inside = "methods = " + array(led->methods);
  if (led->reads_back)
    inside += fmt::format("{}reads_back = {}", inside.empty() ? "" : ", ", *led->reads_back);
  for (const auto& [name, request] :
       {std::pair{"ipmi_on", &led->ipmi_on}, {"ipmi_off", &led->ipmi_off}})
    if (!request->empty()) inside += fmt::format(", {} = {}", name, in_quotes(*request));
  out += fmt::format("{} = {{ {} }}\n", key, inside);
}

void bay(std::string& out, const Bay& bay, size_t number) {
  out += fmt::format("\n[[bay]]\nn = {}\n", number);
  line(out, "id", bay.id);
  line(out, "label", bay.label);
  line(out, "view", bay.view);
  box(out, bay.box);
  line(out, "orientation", bay.orientation);
  line(out, "form_factor", bay.form_factor);
  out += "resolve = [";
  for (const Resolver& one : bay.resolve) {
    out += fmt::format("{}{{ {} = {}", &one == &bay.resolve.front() ? "" : ", ", one.kind,
                       in_quotes(one.value));
    if (!one.member.empty()) out += ", member = " + in_quotes(one.member);
    out += " }";
  }
  out += "]\n";
  led(out, "fault", bay.leds.fault);
  led(out, "locate", bay.leds.locate);
  line(out, "ipmi", bay.ipmi);
}

}  // namespace

std::string render(const Description& d) {
  std::string out = "[chassis]\n";
  line(out, "label", d.label);
  line(out, "applies_to", d.applies_to);
  out += "source = " + array(d.source) + "\n";
  line(out, "verified", d.verified);
  line(out, "notes", d.notes);
  if (!d.quirks.empty()) out += "quirks = " + array(d.quirks) + "\n";
  for (const Facts& keys : d.match) {
    out += "\n[[match]]\n";
    for (const auto& [key, value] : keys) line(out, key.c_str(), value);
  }
  for (const Member& member : d.members) {
    out += "\n[[member]]\n";
    line(out, "name", member.name);
    for (const auto& [key, value] : member.keys) line(out, key.c_str(), value);
  }
  for (const View& view : d.views) {
    out += "\n[[view]]\n";
    line(out, "name", view.name);
    out += fmt::format("width_mm = {:.1f}\nheight_mm = {:.1f}\n", view.width, view.height);
  }
  for (size_t i = 0; i < d.bays.size(); ++i) bay(out, d.bays[i], i + 1);
  return out;
}

}  // namespace fmd::chassis
