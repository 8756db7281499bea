// WebhookPlugin: delivers each alert once to a program, a web server, or both.
#pragma once
#include <memory>
#include <string>

#include "plugins/sdk/notifier.h"
#include "plugins/webhook/options.h"

namespace fmd::webhook {

class WebhookPlugin {
 public:
  static Result<std::shared_ptr<WebhookPlugin>> create(sdk::Context& context, Options options);

 private:
  WebhookPlugin(sdk::Context& context, Options options)
      : host_(context.host), options_(std::move(options)) {}
  struct Job;
  void send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer);
  void run(const std::shared_ptr<Job>& job);
  void post(const std::shared_ptr<Job>& job);
  void done(Job& job, const char* hop, const std::string& reason);

  sdk::Host& host_;
  Options options_;
  std::unique_ptr<sdk::Notifier> notifier_;
};

}  // namespace fmd::webhook
