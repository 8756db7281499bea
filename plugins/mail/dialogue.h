// Dialogue: what an SMTP server answered to what, followed from the lines that went over the wire.
// Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plugins/mail/sender.h"

namespace fmd::mail {

class Dialogue {
 public:
  void sent(std::string_view line);      // a command of ours
  void received(std::string_view line);  // a line of the server's answer
  // good: the library saw the message taken. error: its words when not.
  Outcome outcome(bool good, std::string_view error) const;

 private:
  struct Refusal {
    std::string to;  // mailbox; "" anything else than a recipient
    std::string words;
    bool for_now = false;  // 4xx
  };
  std::string asked_;  // mailbox of the RCPT under way
  std::vector<std::string> accepted_;
  std::vector<Refusal> refusals_;
};

}  // namespace fmd::mail
