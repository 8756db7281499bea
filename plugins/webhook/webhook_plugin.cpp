#include "plugins/webhook/webhook_plugin.h"

#include <syslog.h>

#include <algorithm>

#include "plugins/http/http_post.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/notice.h"
#include "plugins/sdk/secret.h"
#include "plugins/webhook/alert.h"
#include "plugins/webhook/program.h"

namespace fmd::webhook {
namespace {

using std::chrono::milliseconds;

// The answer must arrive before the core's deadline.
constexpr milliseconds kMargin{1000};
constexpr const char *kProgram = "program", *kUrl = "url";

// Each hop (program, URL) has a key, so that a retry after one failed does not repeat the other.
std::string key_for(const std::string& key, const char* hop) {
  return key + " " + hop;
}

// Whether the key is a valid header value. Keys from fmd always are.
bool is_plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

struct WebhookPlugin::Job {
  std::string key, document;
  milliseconds within{};
  int missing = 0;
  std::string reason;
  sdk::Notifier::Answer answer;
};

Result<std::shared_ptr<WebhookPlugin>> WebhookPlugin::create(sdk::Context& context,
                                                             Options options) {
  std::shared_ptr<WebhookPlugin> plugin(new WebhookPlugin(context, std::move(options)));
  auto notifier = sdk::Notifier::create(
      context.loop, "webhook", context.socket,
      [self = plugin.get()](const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
        self->send(notice, answer);
      });
  if (!notifier) return tl::unexpected(notifier.error());
  plugin->notifier_ = std::move(*notifier);
  const bool idle = plugin->options_.program.empty() && plugin->options_.url.empty();
  plugin->notifier_->plugin().send_status(
      idle ? "not-observed" : "ok",
      idle ? "neither program nor url is set in " + plugin->options_.file : "");
  return plugin;
}

void WebhookPlugin::send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
  if (options_.program.empty() && options_.url.empty())
    return answer(
        {"failed", "neither program nor url is set in " + options_.file, nlohmann::json::object()});
  const auto job = std::make_shared<Job>();
  job->key = notice.key;
  job->document = alert_document(notice);
  job->within =
      std::clamp(milliseconds(notice.deadline_ms) - kMargin, milliseconds(1), options_.timeout);
  job->answer = answer;
  const auto wanted = [&](const std::string& configured, const char* hop) {
    return !configured.empty() && !notifier_->delivered().contains(key_for(notice.key, hop));
  };
  const bool runs = wanted(options_.program, kProgram), posts = wanted(options_.url, kUrl);
  job->missing = (runs ? 1 : 0) + (posts ? 1 : 0);
  if (job->missing == 0) return answer({"done", "", nlohmann::json::object()});
  if (runs) run(job);
  if (posts) post(job);
}

void WebhookPlugin::run(const std::shared_ptr<Job>& job) {
  run_program(host_, options_.program, job->document, job->within,
              [this, job](const std::string& reason) { done(*job, kProgram, reason); });
}

void WebhookPlugin::post(const std::shared_ptr<Job>& job) {
  http::Request request;
  request.url = options_.url;
  request.body = job->document;
  request.ca_file = options_.ca_file;
  request.token_file = options_.token_file;
  if (is_plain(job->key)) request.headers.push_back("Idempotency-Key: " + job->key);
  if (!options_.secret_file.empty()) {
    // Read for each alert, so that a change needs no restart.
    const auto secret = sdk::read_secret(options_.secret_file);
    const auto signed_by = secret ? signature(*secret, request.body) : secret;
    if (!signed_by) return done(*job, kUrl, signed_by.error().text());
    request.headers.push_back("X-FMD-Signature: " + *signed_by);
  }
  http::post(host_, request, job->within,
             [this, job](const http::Answer& answer) { done(*job, kUrl, answer.reason); });
}

void WebhookPlugin::done(Job& job, const char* hop, const std::string& reason) {
  if (!reason.empty())
    job.reason += (job.reason.empty() ? "" : "; ") + reason;
  else if (const auto kept = notifier_->delivered().add(key_for(job.key, hop)); !kept)
    sdk::log(LOG_ERR, kept.error().text());
  if (--job.missing > 0) return;
  job.answer({job.reason.empty() ? "done" : "failed", job.reason, nlohmann::json::object()});
}

}  // namespace fmd::webhook
