#include "fmd/daemon/dispatch.h"

#include <fmt/format.h>

#include <optional>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/notify/case_digest.h"
#include "fmd/notify/told.h"
#include "fmd/scene/case_picture.h"
#include "fmd/scene/drawing_json.h"

namespace fmd {
namespace {

constexpr size_t kMostPictures = 50;        // kept for messages that are tried again
constexpr size_t kLargestPicture = 512000;  // bytes; a line to a plugin is 1 MiB at most

std::string outbox_target(std::string_view notifier) {
  return fmt::format("outbox:{}", notifier);
}

CommandStatus status_of(std::string_view word) {
  if (word == "done") return CommandStatus::done;
  return word == "refused" ? CommandStatus::refused : CommandStatus::failed;
}

// While a message is not taken: once, at its first try, and after a restart.
void note_not_delivered(Durable& durable, const Delivery& delivery, const std::string& raw_reason,
                        Moment now) {
  const auto standing = durable.outbox.standing(delivery.key, delivery.notifier);
  if (json_int(standing, "attempts") != 1) return;
  const std::string reason = raw_reason.empty() ? "no reason was given" : display(raw_reason, 300);
  const auto note = [&](const std::string& uuid, const std::string& event) {
    durable.engine.note(
        uuid, "notify",
        fmt::format("{} not delivered yet ({}): {}", delivery.notifier, event, reason), now);
  };
  if (delivery.members.size() < 2) return note(delivery.uuid, delivery.event);
  for (const DigestItem& item : delivery.members) note(item.uuid, item.event);
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
  for (const std::string& key : delivery.covers)
    durable.alerts.delivered(delivery.uuid, key, delivery.notifier, now);
  if (delivery.members.size() < 2) return note(delivery.uuid, delivery.event);
  for (const DigestItem& item : delivery.members)
    note(item.uuid,
         fmt::format("{}, one of {} in one message", item.event, delivery.members.size()));
}

// The notifier has no use for such a message, today or later.
bool never_taken(const PluginAnswer& answer) {
  return answer.status == "refused" &&
         json_bool(nlohmann::json::parse(answer.detail, nullptr, false), "for_good");
}

void note_refused(Durable& durable, const Delivery& delivery, const std::string& reason,
                  Moment now) {
  const GivenUp given_up = durable.outbox.refused_for_good(delivery, reason, now);
  if (given_up.why.empty()) return;
  durable.alerts.gave_up(delivery.uuid, delivery.key, delivery.notifier, given_up.why, now);
}

// {"drawing","alt"} of the chassis with the message's parts ringed; "" there is none.
std::string picture_of(const Delivery& delivery, const Engine& engine) {
  std::vector<const Case*> told;
  if (delivery.members.size() < 2) {
    if (const Case* c = engine.find_case(delivery.uuid)) told.push_back(c);
  } else {
    for (const DigestItem& item : delivery.members)
      if (const Case* c = engine.find_case(item.uuid)) told.push_back(c);
  }
  const CasesByAge& by_age = engine.open_cases_by_age();
  const std::vector<const Case*> open(by_age.begin(), by_age.end());
  const auto picture = scene::picture_cases(engine.inventory(), open, told);
  if (!picture) return {};
  std::string text =
      dump_json({{"drawing", scene::to_json(picture->drawing)}, {"alt", picture->alt}});
  return text.size() > kLargestPicture ? std::string() : text;
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

// With the picture, for a notifier that can show one. Drawn when the message first goes out, since most
// of many at once never go out by themselves.
std::string Dispatch::args_of(const Delivery& delivery) {
  if (!hub_.offers(outbox_target(delivery.notifier), "picture")) return delivery.args;
  const auto [known, fresh] = pictures_.try_emplace(delivery.entry);
  if (fresh) known->second = picture_of(delivery, engine_);
  if (known->second.empty()) return delivery.args;
  auto args = nlohmann::json::parse(delivery.args, nullptr, false);
  if (!args.is_object()) return delivery.args;
  args["picture"] = nlohmann::json::parse(known->second, nullptr, false);
  return dump_json(args);
}

// It was composed again before another try, and what it was to report is no longer so.
void Dispatch::drop(const Delivery& delivery) {
  pictures_.erase(delivery.entry);
  Work work;
  work.apply = [delivery](Durable& durable, Moment now) {
    note_refused(durable, delivery, "its news was no longer true when it could be sent", now);
    const Case* c = durable.engine.find_case(delivery.uuid);
    // "You can pull it" is not false, only unproved for the moment: telling announces it again when
    // it is proved.
    if (c && !relief_sentence(*c).empty()) durable.telling.relief_not_sent(*c, now);
  };
  pipeline_.submit(std::move(work));
}

void Dispatch::deliver_due() {
  // What is not on disk is not told: after a crash nobody would know that it was. But for when it cannot
  // be written down: nobody would hear of the very trouble. Its keys are stable all the same.
  if (!pipeline_.may_deliver()) return;
  const auto ready = [this](std::string_view notifier) {
    return hub_.handles(outbox_target(notifier));
  };
  std::optional<MessageContext> context;
  const auto as_now = [&] {
    if (!context) context.emplace(pipeline_.message_context());
    return digest_now(engine_, *context);
  };
  for (const Delivery& delivery : outbox_.due(clock_.now(), ready, as_now)) {
    if (delivery.nothing) {
      drop(delivery);
      continue;
    }
    if (delivery.renewed) pictures_.erase(delivery.entry);
    PluginCall call;
    call.target = call.resource = outbox_target(delivery.notifier);
    call.name = "deliver";
    call.key = delivery.key;
    call.args = args_of(delivery);
    call.deadline_ms = delivery.deadline_ms;
    hub_.call(call, [this, delivery](const PluginAnswer& answer) {
      if (answer.status == "done" || pictures_.size() > kMostPictures)
        pictures_.erase(delivery.entry);
      Work work;
      work.apply = [delivery, answer](Durable& durable, Moment now) {
        if (never_taken(answer)) return note_refused(durable, delivery, answer.reason, now);
        if (!durable.outbox.answered(delivery, answer.status, answer.reason, now))
          return note_not_delivered(durable, delivery, answer.reason, now);
        note_delivered(durable, delivery, answer.reason, now);
      };
      pipeline_.submit(std::move(work));
    });
  }
}

}  // namespace fmd
