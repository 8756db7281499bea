// Sender: passes a message to the next hop, by SMTP or sendmail(8). Single thread, on the loop.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/mail/options.h"
#include "plugins/sdk/host.h"

namespace fmd::mail {

inline constexpr int kOutput = 3;  // descriptor for work's output (Host::run_apart)

struct Outcome {
  bool taken = false;                 // by the next hop, for `accepted`
  std::vector<std::string> accepted;  // mailboxes
  bool try_again = false;             // some of the others were refused temporarily
  std::string reason;                 // why mailboxes were refused, in the server's words
};

class Sender {
 public:
  virtual ~Sender() = default;
  // Calls done once, from the loop, within the time limit.
  virtual void send(const std::string& message, const std::vector<std::string>& mailboxes,
                    std::chrono::milliseconds within, std::function<void(Outcome)> done) = 0;
};

std::unique_ptr<Sender> make_smtp_sender(sdk::Host& host, const Options& options);
std::unique_ptr<Sender> make_sendmail_sender(sdk::Host& host, const Options& options);

}  // namespace fmd::mail
