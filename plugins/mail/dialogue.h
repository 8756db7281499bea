// Dialogue: matches an SMTP server's replies to the commands, from the lines on the wire. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plugins/mail/sender.h"

namespace fmd::mail {

class Dialogue {
 public:
  void sent(std::string_view line);      // a client command
  void received(std::string_view line);  // a line of the server's reply
  // good: according to libcurl, the message was accepted. error: libcurl's text if not.
  Outcome outcome(bool good, std::string_view error) const;

 private:
  struct Refusal {
    std::string to;  // mailbox; "" if a command other than RCPT was refused
    std::string words;
    bool for_now = false;  // 4xx
  };
  std::string asked_;  // mailbox of the pending RCPT
  std::vector<std::string> accepted_;
  std::vector<Refusal> refusals_;
};

}  // namespace fmd::mail
