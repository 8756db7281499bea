#include "fmd/daemon/dispatch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

std::string outbox_target(std::string_view notifier) {
  return fmt::format("outbox:{}", notifier);
}

CommandStatus status_of(std::string_view word) {
  if (word == "done") return CommandStatus::done;
  return word == "refused" ? CommandStatus::refused : CommandStatus::failed;
}

// On the case, or on each case of a digest.
void note_delivered(Durable& durable, const Delivery& delivery, const std::string& raw_reason,
                    Moment now) {
  const std::string reason = raw_reason.empty() ? std::string() : ": " + display(raw_reason, 300);
  const auto note = [&](const std::string& uuid, const std::string& what) {
    durable.alerts.delivered(uuid, delivery.key, delivery.notifier, now);
    durable.engine.note(uuid, "notify",
                        fmt::format("{} delivered ({}){}", delivery.notifier, what, reason), now);
  };
  if (delivery.members.size() < 2) return note(delivery.uuid, delivery.event);
  for (const DigestItem& item : delivery.members)
    note(item.uuid,
         fmt::format("{}, one of {} in one message", item.event, delivery.members.size()));
}

}  // namespace

CommandResult command_result(const PluginAnswer& answer) {
  CommandResult result;
  result.status = status_of(answer.status);
  result.unanswered = answer.unanswered;
  result.reason = answer.reason;
  const auto detail = nlohmann::json::parse(answer.detail, nullptr, false);
  result.already = result.status == CommandStatus::done && json_bool(detail, "already");
  result.busy = result.status == CommandStatus::refused && !json_text(detail, "busy").empty();
  return result;
}

void Dispatch::send(const Command& command) {
  PluginCall call;
  call.target = command.resource;
  call.name = command_name(command.name);
  call.resource = command.resource;
  call.key = command.key;
  call.args = command.args;
  call.deadline_ms = command.deadline_ms;
  call.late_too = true;  // it tells whether what was given up took effect after all
  hub_.call(call, [this, command](const PluginAnswer& answer) {
    Work work;
    work.apply = [command, result = command_result(answer)](Durable& durable, Moment now) {
      durable.reconciler.done(command, result, now);
    };
    pipeline_.submit(std::move(work));
  });
}

void Dispatch::deliver_due() {
  // What is not on disk is not told: after a crash nobody would know that it was.
  if (pipeline_.failing()) return;
  const auto ready = [this](std::string_view notifier) {
    return hub_.handles(outbox_target(notifier));
  };
  for (const Delivery& delivery : outbox_.due(clock_.now(), ready)) {
    PluginCall call;
    call.target = call.resource = outbox_target(delivery.notifier);
    call.name = "deliver";
    call.key = delivery.key;
    call.args = delivery.args;
    call.deadline_ms = delivery.deadline_ms;
    hub_.call(call, [this, delivery](const PluginAnswer& answer) {
      Work work;
      work.apply = [delivery, answer](Durable& durable, Moment now) {
        if (!durable.outbox.answered(delivery, answer.status, answer.reason, now)) return;
        note_delivered(durable, delivery, answer.reason, now);
      };
      pipeline_.submit(std::move(work));
    });
  }
}

}  // namespace fmd
