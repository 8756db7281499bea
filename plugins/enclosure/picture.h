// Picture: converts scanned enclosures to resources and adds data from descriptions: printed
// labels, places in the views, fault domains. Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/enclosure/enclosure_scan.h"
#include "plugins/enclosure/ses_pages.h"

namespace fmd::enclosure {

// By FMRI, as in the protocol.
using Resources = std::map<std::string, nlohmann::json>;

std::string chassis_fmri(const std::string& id);
std::string bay_fmri(const std::string& id, const std::string& slot);
void add_edge(nlohmann::json& resource, const std::string& to);  // contains

// One enclosure as last seen.
struct Seen {
  Enclosure box;
  bool answers = true;
  std::vector<Element> elements;
  std::set<std::string> installed;    // "psu/1": elements ever seen
  bool tells_empty = false;           // it has ever reported a bay as "not installed"
  chassis::Library::Found described;  // the shelf's description; nullptr for the host's box
};

class Picture {
 public:
  // host: the host's descriptions. leds: adds the properties of a bay's LEDs.
  using AddLeds = std::function<void(nlohmann::json& properties, const std::string& bay)>;
  Picture(std::vector<chassis::Library::Found> host, AddLeds leds)
      : host_(std::move(host)), leds_(std::move(leds)) {}

  // Enclosures with the same id are one chassis.
  Resources resources(const std::vector<const Seen*>& seen) const;

 private:
  // host_box: FMRI of the host's own chassis, or "".
  void add_chassis(Resources& into, const Seen& seen, const std::string& host_box) const;
  void add_bay(nlohmann::json& into, const Seen& seen, const Bay& bay) const;

  std::vector<chassis::Library::Found> host_;
  AddLeds leds_;
};

// Whether that enclosure is the host description's member `name`; "": any member.
bool is_member(const chassis::Description& host, const std::string& name, const Seen& seen);
// Whether a bay of the host's box is an enclosure's bay by another name: only the enclosure's is
// reported and has its LEDs driven.
bool is_enclosures(const std::vector<chassis::Library::Found>& host,
                   const std::vector<const Seen*>& all, const Seen& box, const Bay& bay);
// The description of that bay; nullptr if none.
const chassis::Bay* told_of(const std::vector<chassis::Library::Found>& host, const Seen& seen,
                            const Bay& bay);
// How its LEDs are driven, by its own description or by that of discovered bays.
const chassis::Leds* leds_told(const std::vector<chassis::Library::Found>& host, const Seen& seen,
                               const Bay& bay);

}  // namespace fmd::enclosure
