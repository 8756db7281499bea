// Notice: one message to people, as fmd sends it to a notifier. It contains JSON by value: include
// this file only in sources that read it; notifier.h declares the type for headers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/result.h"

namespace fmd::sdk {

// A notification to deliver: the arguments of the deliver command (schemas/plugin-protocol.md).
struct Notice {
  std::string key, event, subject, body, host;
  int64_t time_ns = 0;  // since the epoch
  std::vector<std::string>
      to;                     // recipients; {} and "default": whom the plugin's configuration names
  nlohmann::json fault_case;  // an object, as `fmadm faulty --json` prints it
  // A happening that is not about a case: an object, empty for a case (deliver args, "happening").
  nlohmann::json happening;
  nlohmann::json
      sections;  // what body says, for whoever makes more of it than plain text; else null
  nlohmann::json picture;  // {"drawing","alt"} for whoever asked for it, else null
  int64_t deadline_ms = 60000;

  static Result<Notice> from_args(const nlohmann::json& args);
  // A member of the case, of its first suspect; "" when absent or no text.
  std::string of_case(const char* member) const;
  std::string of_say(
      const char* member) const;  // what to tell people about the case; a list as one text
  std::string of_suspect(const char* member) const;
  std::string of_happening(const char* member) const;
  bool is_happening() const { return !happening.empty(); }
};

}  // namespace fmd::sdk
