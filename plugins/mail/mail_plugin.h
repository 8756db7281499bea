// MailPlugin: sends each notice once to each recipient.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "plugins/mail/letter.h"
#include "plugins/mail/options.h"
#include "plugins/mail/sender.h"
#include "plugins/sdk/notifier.h"

namespace fmd::mail {

class MailPlugin {
 public:
  static Result<std::shared_ptr<MailPlugin>> create(sdk::Context& context, Options options);

 private:
  MailPlugin(sdk::Context& context, Options options);
  Result<std::vector<Address>> recipients_of(const sdk::Notice& notice) const;
  void send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer);
  struct Job;
  void paint(const std::shared_ptr<Job>& job);
  void hand_over(const Job& job, const Picture* picture);
  sdk::CommandReply conclude(const std::string& key, size_t asked, const Outcome& outcome);

  sdk::Host& host_;
  Options options_;
  std::unique_ptr<sdk::Notifier> notifier_;
  std::unique_ptr<Sender> sender_;  // last: pending mails end before the rest
};

}  // namespace fmd::mail
