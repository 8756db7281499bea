#include "plugins/mail/mail_plugin.h"

#include <syslog.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "plugins/mail/courier.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/notice.h"

namespace fmd::mail {
namespace {

using std::chrono::milliseconds;

// The answer must arrive before the core's deadline.
constexpr milliseconds kMargin{1000};
// Drawing takes well under a second, but much longer on a starved machine.
constexpr milliseconds kPaintWithin{10000};
constexpr std::string_view kPngSignature = "\x89PNG";

// In CSS pixels, from the PNG header: its width is in bytes 16 to 19.
int shown_width(std::string_view png) {
  uint32_t width = 0;
  for (size_t i = 16; i < 20 && i < png.size(); ++i)
    width = width << 8 | static_cast<unsigned char>(png[i]);
  return static_cast<int>(width / 2);
}

sdk::CommandReply reply(std::string_view status, std::string reason) {
  return {std::string(status), std::move(reason), nlohmann::json::object()};
}

std::string key_for(const std::string& key, const std::string& mailbox) {
  return key + " " + mailbox;
}

}  // namespace

// A mail being sent.
struct MailPlugin::Job {
  sdk::Notice notice;
  Options options;  // with this mail's recipients
  std::vector<std::string> mailboxes;
  milliseconds within{};
  sdk::Notifier::Answer answer;
};

MailPlugin::MailPlugin(sdk::Context& context, Options options)
    : host_(context.host), options_(std::move(options)) {
  sender_ = options_.transport == Transport::smtp ? make_smtp_sender(context.host, options_)
                                                  : make_sendmail_sender(context.host, options_);
}

Result<std::shared_ptr<MailPlugin>> MailPlugin::create(sdk::Context& context, Options options) {
  std::shared_ptr<MailPlugin> plugin(new MailPlugin(context, std::move(options)));
  auto notifier = sdk::Notifier::create(
      context.loop, "mail", context.socket,
      [self = plugin.get()](const sdk::Notice& notice, sdk::Notifier::Answer answer) {
        self->send(notice, answer);
      },
      true);
  if (!notifier) return tl::unexpected(notifier.error());
  plugin->notifier_ = std::move(*notifier);
  if (plugin->options_.to.empty())
    plugin->notifier_->plugin().send_status("not-observed",
                                            "no recipients: set `to` in " + plugin->options_.file);
  else
    plugin->notifier_->plugin().send_status("ok", "");
  return plugin;
}

// The recipients of the notice without duplicates; "default" means those in mail.toml.
Result<std::vector<Address>> MailPlugin::recipients_of(const sdk::Notice& notice) const {
  std::vector<Address> out;
  const auto add = [&out](Address address) {
    if (std::none_of(out.begin(), out.end(),
                     [&](const Address& a) { return a.mailbox == address.mailbox; }))
      out.push_back(std::move(address));
  };
  const std::vector<std::string> usual{"default"};
  for (const std::string& to : notice.to.empty() ? usual : notice.to) {
    if (to == usual.front()) {
      for (const Address& address : options_.to) add(address);
      continue;
    }
    auto address = Address::parse(to);
    if (!address) return tl::unexpected(address.error());
    add(std::move(*address));
  }
  if (out.empty()) return fail("no recipients configured in " + options_.file);
  return out;
}

void MailPlugin::send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
  auto recipients = recipients_of(notice);
  if (!recipients) return answer(reply("failed", recipients.error().message));
  Options options = options_;
  options.to = std::move(*recipients);
  const auto job = std::make_shared<Job>(Job{notice, std::move(options), {}, {}, answer});
  std::vector<std::string>& mailboxes = job->mailboxes;
  for (const Address& to : job->options.to)
    if (!notifier_->delivered().contains(key_for(notice.key, to.mailbox)) &&
        std::find(mailboxes.begin(), mailboxes.end(), to.mailbox) == mailboxes.end())
      mailboxes.push_back(to.mailbox);
  if (mailboxes.empty()) return answer(reply("done", ""));
  const bool picture = notice.picture.is_object();
  const milliseconds mine = kMargin + (picture ? kPaintWithin : milliseconds(0));
  job->within =
      std::clamp(milliseconds(notice.deadline_ms) - mine, milliseconds(1), options_.timeout);
  if (picture) return paint(job);
  hand_over(*job, nullptr);
}

// In a child process, since font and image libraries may crash. If it fails, the mail is sent
// without the picture.
void MailPlugin::paint(const std::shared_ptr<Job>& job) {
  host_.run_apart([drawing = job->notice.picture.value(
                       "drawing", nlohmann::json())] { return courier().paint(drawing); },
                  kPaintWithin,
                  [this, job](const sdk::CommandOutput& output) {
                    const bool good = output.ok() && output.out.starts_with(kPngSignature);
                    if (!good)
                      sdk::log(LOG_WARNING,
                               "the chassis cannot be drawn: " +
                                   (output.ok() ? display(output.out) : output.explain("drawing")));
                    const Picture picture{output.out, json_text(job->notice.picture, "alt"),
                                          shown_width(output.out)};
                    hand_over(*job, good ? &picture : nullptr);
                  });
}

void MailPlugin::hand_over(const Job& job, const Picture* picture) {
  sender_->send(compose(job.notice, job.options, picture), job.mailboxes, job.within,
                [this, key = job.notice.key, asked = job.mailboxes.size(), answer = job.answer](
                    const Outcome& outcome) { answer(conclude(key, asked, outcome)); });
}

sdk::CommandReply MailPlugin::conclude(const std::string& key, size_t asked,
                                       const Outcome& outcome) {
  if (!outcome.taken) return reply("failed", outcome.reason);
  // Each recipient has it or was refused permanently: nothing to retry.
  if (outcome.accepted.size() == asked || !outcome.try_again) return reply("done", outcome.reason);
  for (const std::string& mailbox : outcome.accepted)
    if (const auto kept = notifier_->delivered().add(key_for(key, mailbox)); !kept)
      sdk::log(LOG_ERR, kept.error().text());
  return reply("failed", outcome.reason);
}

}  // namespace fmd::mail
