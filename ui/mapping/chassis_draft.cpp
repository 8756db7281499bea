#include "ui/mapping/chassis_draft.h"

#include <fmt/format.h>

#include "fmd/base/text.h"
#include "fmd/chassis/parse.h"
#include "fmd/chassis/render.h"
#include "ui/mapping/chassis_resolvers.h"

namespace fmd::mapping {
namespace {

// Records the method that works now: without it, fmd tries the usual methods, which do not include
// ledctl.
chassis::Leds leds_of(const Resource& bay) {
  chassis::Led led;
  if (bay.is("led.method", "ledctl"))
    led.methods = {"ledctl"};
  else if (bay.is("led.reads_back", "false"))
    led.reads_back = false;
  if (led.methods.empty() && !led.reads_back) return {};
  return {led, led};
}

chassis::Bay bay_of(const ChassisDraft& draft, const ChassisDraft::Answer& answer) {
  chassis::Bay bay;
  bay.id = (answer.member.empty() ? "" : answer.member + "-") + slot_of(*answer.bay);
  bay.label = answer.label;
  bay.form_factor = answer.bay->get("form_factor");
  bay.leds = leds_of(*answer.bay);
  const auto side = draft.sides.find(answer.view);
  if (side == draft.sides.end() || side->second.rows == 0 || !answer.at) return bay;
  const auto& [rows, columns, width, height] = side->second;
  bay.view = answer.view;
  const double w = width / columns, h = height / rows;
  bay.box = {w * (answer.at->second - 1), h * (answer.at->first - 1), w, h};
  bay.orientation = w < h ? "vertical" : "horizontal";
  return bay;
}

}  // namespace

Result<std::string> ChassisDraft::toml(const Inventory& inventory) const {
  if (answers.empty()) return fail("no bay was mapped: there is nothing to write");
  chassis::Description d;
  d.label = label;
  d.applies_to = host ? "host" : "shelf";
  d.source = {"mapped by hand with fmadm chassis map" + (made_on.empty() ? "" : " on " + made_on)};
  d.verified = "by a person";
  d.match = {{{host ? "system_id" : "ses_id", id}}};
  for (const auto& [name, ses_id] : members) d.members.push_back({name, {{"ses_id", ses_id}}});
  for (const auto& [name, side] : sides)
    if (side.rows > 0) d.views.push_back({name, name, side.width, side.height});
  if (!d.views.empty())
    d.notes = "The millimetres divide each side evenly; only the order of the bays was looked at.";
  for (const Answer& answer : answers) {
    chassis::Bay bay = bay_of(*this, answer);
    bay.resolve = resolvers_of(inventory, *answer.bay, answer.member);
    if (bay.resolve.empty())
      return fail(display(answer.bay->fmri) + ": nothing tells where that bay is");
    d.bays.push_back(std::move(bay));
  }
  std::string text = chassis::render(d);
  const auto [again, errors] = chassis::parse({"the new description", text});
  if (!errors.empty()) return tl::unexpected(errors.front());
  return text;
}

}  // namespace fmd::mapping
