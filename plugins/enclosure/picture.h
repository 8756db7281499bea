// Picture: what the enclosures show, as resources for the core, with what their descriptions add:
// printed labels, places in the views, fault domains. Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/enclosure/enclosure_scan.h"
#include "plugins/enclosure/ses_pages.h"

namespace fmd::enclosure {

std::string chassis_fmri(const std::string& id);
std::string bay_fmri(const std::string& id, const std::string& slot);

// One enclosure as last seen.
struct Seen {
  Enclosure box;
  bool answers = true;
  std::vector<Element> elements;
  chassis::Library::Found described;  // the shelf's; nullptr for the host's box
};

class Picture {
 public:
  // host: the host's descriptions. leds: adds the properties of a bay's LEDs.
  using AddLeds = std::function<void(nlohmann::json& properties, const std::string& bay)>;
  Picture(std::vector<chassis::Library::Found> host, AddLeds leds)
      : host_(std::move(host)), leds_(std::move(leds)) {}

  // Several of one id are one chassis. By FMRI, as the protocol wants them.
  std::map<std::string, nlohmann::json> resources(const std::vector<const Seen*>& seen) const;

 private:
  using Resources = std::map<std::string, nlohmann::json>;
  void add_chassis(Resources& into, const Seen& seen) const;
  void add_bay(nlohmann::json& into, const Seen& seen, const Bay& bay) const;
  void add_elements(Resources& into, const Seen& seen) const;
  bool is_elsewhere(const Resources& known, const Seen& seen, const Bay& bay) const;

  std::vector<chassis::Library::Found> host_;
  AddLeds leds_;
};

// What a description tells of that bay; nullptr: nothing.
const chassis::Bay* told_of(const std::vector<chassis::Library::Found>& host, const Seen& seen,
                            const Bay& bay);
// How its LEDs are driven, as told of it or of all that are found so.
const chassis::Leds* leds_told(const std::vector<chassis::Library::Found>& host, const Seen& seen,
                               const Bay& bay);

}  // namespace fmd::enclosure
