// OutboxMessage: the content of a message about a case or happening, for a notifier.
#pragma once
#include <string>

namespace fmd {

struct OutboxMessage {
  std::string subject, body, host;
  std::string case_json;       // the case as `fmadm faulty --json` prints it
  std::string sections = {};   // body.h, as JSON
  std::string happening = {};  // happening.h, as JSON; "" for a case
};

}  // namespace fmd
