#include "plugins/mail/mail_plugin.h"

#include <syslog.h>

#include <algorithm>

#include "plugins/mail/letter.h"

namespace fmd::mail {
namespace {

using std::chrono::milliseconds;

// Our answer must be there before the core gives up waiting for it.
constexpr milliseconds kMargin{1000};

sdk::CommandReply reply(std::string_view status, std::string reason) {
  return {std::string(status), std::move(reason), nlohmann::json::object()};
}

std::string key_for(const std::string& key, const std::string& mailbox) {
  return key + " " + mailbox;
}

}  // namespace

MailPlugin::MailPlugin(sdk::Context& context, Options options) : options_(std::move(options)) {
  sender_ = options_.transport == Transport::smtp ? make_smtp_sender(context.host, options_)
                                                  : make_sendmail_sender(context.host, options_);
}

Result<std::shared_ptr<MailPlugin>> MailPlugin::create(sdk::Context& context, Options options) {
  std::shared_ptr<MailPlugin> plugin(new MailPlugin(context, std::move(options)));
  auto notifier = sdk::Notifier::create(
      context.loop, "mail", context.socket,
      [self = plugin.get()](const sdk::Notice& notice, sdk::Notifier::Answer answer) {
        self->send(notice, answer);
      });
  if (!notifier) return tl::unexpected(notifier.error());
  plugin->notifier_ = std::move(*notifier);
  if (plugin->options_.to.empty())
    plugin->notifier_->plugin().send_status("not-observed",
                                            "no recipients: set `to` in " + plugin->options_.file);
  else
    plugin->notifier_->plugin().send_status("ok", "");
  return plugin;
}

void MailPlugin::send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
  if (options_.to.empty())
    return answer(reply("failed", "no recipients configured in " + options_.file));
  std::vector<std::string> mailboxes;
  for (const Address& to : options_.to)
    if (!notifier_->delivered().contains(key_for(notice.key, to.mailbox)) &&
        std::find(mailboxes.begin(), mailboxes.end(), to.mailbox) == mailboxes.end())
      mailboxes.push_back(to.mailbox);
  if (mailboxes.empty()) return answer(reply("done", ""));
  const milliseconds within =
      std::clamp(milliseconds(notice.deadline_ms) - kMargin, milliseconds(1), options_.timeout);
  sender_->send(compose(notice, options_), mailboxes, within,
                [this, key = notice.key, asked = mailboxes.size(), answer](const Outcome& outcome) {
                  answer(conclude(key, asked, outcome));
                });
}

sdk::CommandReply MailPlugin::conclude(const std::string& key, size_t asked,
                                       const Outcome& outcome) {
  if (!outcome.taken) return reply("failed", outcome.reason);
  // All have it, or those who do not never will: there is nothing to try again.
  if (outcome.accepted.size() == asked || !outcome.try_again) return reply("done", outcome.reason);
  for (const std::string& mailbox : outcome.accepted)
    if (const auto kept = notifier_->delivered().add(key_for(key, mailbox)); !kept)
      sdk::log(LOG_ERR, kept.error().text());
  return reply("failed", outcome.reason);
}

}  // namespace fmd::mail
