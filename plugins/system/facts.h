// What one look at the machine found: resources as the protocol wants them, and the gauges (numbers
// to be read again and again) that belong to them. Filled in a child process, carried to the plugin
// as bytes. Pure data; words: schemas/resources.md.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/result.h"

namespace fmd::machine {

// A file with a number in it, or several of one part.
struct Gauge {
  std::string resource;  // FMRI
  std::string name;      // of the reading: "value", "invalid_dword_count"
  std::string file;      // absolute, in the host
  double divisor = 1;    // of what the file says, to get the unit
  std::string unit;      // "celsius", "rpm", "watts", "count"; "" for flags, which only make status
  std::vector<std::string> also = {};     // files whose numbers are added: all of them, or nothing
  std::optional<double> good_below = {};  // of a temperature: its critical limit
  bool operator==(const Gauge&) const = default;
};

struct Facts {
  std::string system;  // FMRI of the machine itself
  std::map<std::string, nlohmann::json> resources;
  // By the device that answers for them: those of one are read together, by one child.
  std::map<std::string, std::vector<Gauge>> gauges;
  std::string problem;  // what could not be understood, for the plugin's status; "" nothing

  // The resource, made when it is new.
  nlohmann::json& add(const std::string& fmri, std::string_view type);
  void link(const std::string& from, std::string_view relation, const std::string& to);
  void contain(const std::string& part) { link(system, "contains", part); }
  bool has(const std::string& fmri) const { return resources.contains(fmri); }
};

// Sets a property; an empty text is none.
void set_text(nlohmann::json& resource, const char* name, std::string_view text);

std::string to_bytes(const Facts& facts);
Result<Facts> from_bytes(const std::string& bytes);

}  // namespace fmd::machine
