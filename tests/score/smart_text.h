// SmartText: what smartctl printed of a disk (plugins/smart/tests/fixtures), with another value where it prints
// that, read as fmd-smart reads it. Loaded once; then const, for any thread.
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

  // The property as fmd-smart tells it once the disk says so; nothing: such a disk has no place for it, or nobody knows
  // which. Throws when what is printed then cannot be read.
  std::optional<Value> told(Protocol protocol, std::string_view property, const Value& value) const;

 private:
  const nlohmann::json& of(Protocol protocol) const {
    return printed_.at(static_cast<size_t>(protocol));
  }
  std::array<nlohmann::json, 2> printed_;  // by protocol
};

}  // namespace fmd::score
