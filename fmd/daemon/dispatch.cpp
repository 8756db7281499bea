#include "fmd/daemon/dispatch.h"

#include <fmt/format.h>

#include "fmd/base/text.h"

namespace fmd {
namespace {

std::string outbox_target(std::string_view notifier) {
  return fmt::format("outbox:{}", notifier);
}

}  // namespace

void Dispatch::send(const Command& command) {
  PluginCall call;
  call.target = command.resource;
  call.name = command.name;
  call.resource = command.resource;
  call.key = command.key;
  call.args = command.args;
  call.deadline_ms = command.deadline_ms;
  parts_.hub->call(call, [this, command](const PluginAnswer& answer) {
    Work work;
    work.apply = [this, command, answer](int64_t now_ns) {
      parts_.reconciler->done(command, {answer.status, answer.reason, answer.detail}, now_ns);
      parts_.pipeline->reconsider();
    };
    parts_.pipeline->submit(std::move(work));
  });
}

void Dispatch::deliver_due() {
  // What is not on disk is not told: after a crash nobody would know that it was.
  if (parts_.pipeline->failing()) return;
  const auto ready = [this](std::string_view notifier) {
    return parts_.hub->handles(outbox_target(notifier));
  };
  for (const Delivery& delivery : parts_.outbox.due(parts_.clock.wall_ns(), ready)) {
    PluginCall call;
    call.target = call.resource = outbox_target(delivery.notifier);
    call.name = "deliver";
    call.key = delivery.key;
    call.args = delivery.args;
    call.deadline_ms = delivery.deadline_ms;
    parts_.hub->call(call, [this, delivery](const PluginAnswer& answer) {
      Work work;
      work.apply = [this, delivery, answer](int64_t now_ns) {
        if (!parts_.outbox.answered(delivery, answer.status, answer.reason, now_ns)) return;
        const std::string reason =
            answer.reason.empty() ? std::string() : ": " + display(answer.reason, 300);
        parts_.engine->note(
            delivery.uuid, "notify",
            fmt::format("{} delivered ({}){}", delivery.notifier, delivery.event, reason), now_ns);
      };
      parts_.pipeline->submit(std::move(work));
    });
  }
}

}  // namespace fmd
