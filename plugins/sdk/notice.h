// Notice: one message to people, as fmd sends it to a notifier. It contains JSON by value: include
// this file only in sources that read it; notifier.h declares the type for headers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/result.h"

namespace fmd::sdk {

// The arguments of the deliver command (schemas/plugin-protocol.md).
struct Notice {
  std::string key, event, subject, body, host;
  int64_t time_ns = 0;          // since the epoch
  std::vector<std::string> to;  // recipients; {} and "default": those in the plugin's configuration
  nlohmann::json fault_case;    // an object, as in `fmadm faulty --json`
  // A happening, if the message is not about a case (deliver args, "happening"); else empty.
  nlohmann::json happening;
  nlohmann::json sections;  // the content of body in parts, for more than plain text; else null
  nlohmann::json picture;   // {"drawing","alt"} if the plugin asked for it, else null
  int64_t deadline_ms = 60000;

  static Result<Notice> from_args(const nlohmann::json& args);
  // A text member of the case or of its first suspect; "" if absent or not a text.
  std::string of_case(const char* member) const;
  std::string of_say(
      const char* member) const;  // of the case's `say` object; a list is joined into one text
  std::string of_suspect(const char* member) const;
  std::string of_happening(const char* member) const;
  bool is_happening() const { return !happening.empty(); }
};

}  // namespace fmd::sdk
