// OutboxMessage: what a notifier is given about a case or happening.
#pragma once
#include <string>

namespace fmd {

struct OutboxMessage {
  std::string subject, body, host;
  std::string case_json;       // the case as `fmadm faulty --json` prints it
  std::string sections = {};   // body.h, as JSON
  std::string happening = {};  // happening.h, as JSON, when it is about one
};

}  // namespace fmd
