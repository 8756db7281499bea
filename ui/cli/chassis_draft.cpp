#include "ui/cli/chassis_draft.h"

#include <fmt/format.h>

#include "fmd/chassis/parse.h"
#include "fmd/chassis/render.h"
#include "fmd/core/fmri.h"
#include "fmd/core/text.h"

namespace fmd::cli {
namespace {

constexpr double kFront = 438.0, kUnit = 44.0;  // of a 19" front, in millimetres

bool is_host(const Resource& bay) {
  return !bay.get("place").empty();
}

std::string slot_of(const Resource& bay) {
  const auto fmri = Fmri::parse(bay.fmri);
  return fmri ? fmri->get("bay") : std::string();
}

}  // namespace

Result<chassis::Resolver> resolver_of(const Resource&, const Resource& bay) {
  const std::string place = bay.get("place"), slot = slot_of(bay);
  if (!place.empty()) {
    const size_t blank = place.find(' ');
    if (blank == place.npos) return fail(display(bay.fmri) + ": its place is not understood");
    return chassis::Resolver{place.substr(0, blank), place.substr(blank + 1), ""};
  }
  const bool number = !slot.empty() && slot.find_first_not_of("0123456789") == slot.npos;
  return chassis::Resolver{number ? "ses_slot" : "ses_name", slot, ""};
}

Result<std::string> ChassisDraft::toml(const Resource& chassis) const {
  if (answers.empty()) return fail("no bay was mapped: there is nothing to write");
  chassis::Description d;
  d.label = label;
  d.applies_to = is_host(*answers.front().bay) ? "host" : "shelf";
  d.source = {"mapped by hand with fmadm chassis map" + (made_on.empty() ? "" : " on " + made_on)};
  if (rows > 0)
    d.notes =
        "The millimetres divide a 19\" front evenly; only the order of the bays was looked at.";
  d.match = {{{d.applies_to == "host" ? "system_id" : "ses_id", chassis.get("id")}}};
  const double width = kFront, height = kUnit * units;
  if (rows > 0) d.views = {{"front", "front", width, height}};
  for (const Answer& answer : answers) {
    auto resolver = resolver_of(chassis, *answer.bay);
    if (!resolver) return tl::unexpected(resolver.error());
    chassis::Bay bay;
    bay.id = slot_of(*answer.bay);
    bay.label = answer.label;
    bay.form_factor = form_factor;
    bay.resolve = {std::move(*resolver)};
    if (answer.at && rows > 0) {
      bay.view = "front";
      const double w = width / columns, h = height / rows;
      bay.box = {w * (answer.at->second - 1), h * (answer.at->first - 1), w, h};
      bay.orientation = w < h ? "vertical" : "horizontal";
    }
    d.bays.push_back(std::move(bay));
  }
  std::string text = chassis::render(d);
  const auto [again, errors] = chassis::parse({"the new description", text});
  if (!errors.empty()) return tl::unexpected(errors.front());
  return text;
}

}  // namespace fmd::cli
