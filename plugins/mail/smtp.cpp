// SMTP, in a forked child for each message: libcurl blocks in places (the answer to QUIT, the
// resolver), and the child is killed at the deadline whatever the server does.
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/mail/courier.h"
#include "plugins/mail/sender.h"

namespace fmd::mail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMoreThanCurl{500};  // libcurl's timeout comes first: its message says more

// Parses the child's output, which counts even if the child failed later.
Outcome from_output(const sdk::CommandOutput& output, const std::string& server) {
  const auto doc = nlohmann::json::parse(output.out, nullptr, false);
  Outcome outcome;
  if (doc.is_discarded() || !doc.is_object()) {
    outcome.reason = output.explain(display(server));
    return outcome;
  }
  outcome.taken = doc.value("taken", false);
  outcome.accepted = doc.value("accepted", std::vector<std::string>());
  outcome.try_again = doc.value("try_again", false);
  outcome.reason = doc.value("reason", "");
  return outcome;
}

class SmtpSender final : public Sender {
 public:
  SmtpSender(sdk::Host& host, Options options) : host_(host), options_(std::move(options)) {}

  void send(const std::string& message, const std::vector<std::string>& mailboxes,
            milliseconds within, std::function<void(Outcome)> done) override {
    const Parcel parcel{options_, message, mailboxes, within};
    host_.run_apart([parcel] { return courier().deliver(parcel); }, within + kMoreThanCurl,
                    [done = std::move(done), server = options_.server](
                        const sdk::CommandOutput& output) { done(from_output(output, server)); });
  }

 private:
  sdk::Host& host_;
  Options options_;
};

}  // namespace

std::unique_ptr<Sender> make_smtp_sender(sdk::Host& host, const Options& options) {
  return std::make_unique<SmtpSender>(host, options);
}

}  // namespace fmd::mail
