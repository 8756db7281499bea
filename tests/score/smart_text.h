// SmartText: smartctl output of recorded disks (plugins/smart/tests/fixtures) with changed values,
// parsed as fmd-smart parses it. Loaded once, then const; for any thread.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/json.h"
#include "fmd/base/value.h"

namespace fmd::score {

class SmartText {
 public:
  enum class Protocol { nvme, scsi };

  SmartText(const std::string& nvme, const std::string& scsi);  // files
  static const SmartText& recorded();                           // of this tree

  // The property as fmd-smart then reports it. Nothing if such disks have no known field for it.
  // Throws if the changed output cannot be parsed.
  std::optional<Value> told(Protocol protocol, std::string_view property, const Value& value) const;

 private:
  const nlohmann::json& of(Protocol protocol) const {
    return printed_.at(static_cast<size_t>(protocol));
  }
  std::array<nlohmann::json, 2> printed_;  // by protocol
};

}  // namespace fmd::score
