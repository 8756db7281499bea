// Facts: the result of one scan of the machine: resources as in the protocol, and gauges (numbers
// to poll) of these. Filled in a child process and passed to the plugin as bytes. Pure data;
// properties: schemas/resources.md.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/result.h"

namespace fmd::machine {

// A file that contains a number, or several such files of one part.
struct Gauge {
  std::string resource;  // FMRI
  std::string name;      // of the reading: "value", "invalid_dword_count"
  std::string file;      // absolute, in the host
  double divisor = 1;    // converts the file's number to the unit
  std::string unit;      // "celsius", "rpm", "watts", "count"; "" for flags (status only)
  std::vector<std::string> also = {};     // files to add; no value unless all are readable
  std::optional<double> good_below = {};  // of a temperature: its critical limit
  bool operator==(const Gauge&) const = default;
};

struct Facts {
  std::string system;  // FMRI of the machine itself
  std::map<std::string, nlohmann::json> resources;
  // By device: the gauges of one device are read together.
  std::map<std::string, std::vector<Gauge>> gauges;
  std::string problem;  // what could not be parsed, for the plugin's status; "" nothing

  // Returns the resource, creating it if it is new.
  nlohmann::json& add(const std::string& fmri, std::string_view type);
  void link(const std::string& from, std::string_view relation, const std::string& to);
  void contain(const std::string& part) { link(system, "contains", part); }
  bool has(const std::string& fmri) const { return resources.contains(fmri); }
};

// Sets a property unless the text is empty.
void set_text(nlohmann::json& resource, const char* name, std::string_view text);

std::string to_bytes(const Facts& facts);
Result<Facts> from_bytes(const std::string& bytes);

}  // namespace fmd::machine
