#include "fmd/notify/case_message.h"

#include <algorithm>
#include <utility>

#include "fmd/notify/case_digest.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/told.h"

namespace fmd {

Relief check_relief(const Case& c, const SayWorld& world, std::vector<std::string>& whats_new) {
  const auto at = std::find(whats_new.begin(), whats_new.end(), relief_sentence(c));
  if (at == whats_new.end()) return Relief::holds;
  const Say say = say_of(c, world);
  if (say.safe_to_pull.yes()) return Relief::holds;
  whats_new.erase(at);
  return say.state == SayState::spare_holds_all ? Relief::unproven : Relief::over;
}

OutboxMessage message_of(const Engine& engine, const Case& c, const Tidings& tidings,
                         MessageContext context) {
  context.pull_orders = [&engine, context](const std::set<std::string>& frus) {
    return pull_orders_about(engine, frus, context);
  };
  return compose_message(c, tidings, context);
}

std::string event_now(const Case& c, const std::string& told) {
  const auto name = [](CaseEvent event) { return std::string(case_event_name(event)); };
  if (c.state == CaseState::resolved) return name(CaseEvent::resolved);
  if (c.state == CaseState::repaired) return name(CaseEvent::repaired);
  const auto event = parse_case_event(told).value_or(CaseEvent::updated);
  const bool ended = event == CaseEvent::resolved || event == CaseEvent::repaired;
  // A reminder says that nobody has acknowledged the case.
  const bool reminds_in_vain = event == CaseEvent::reminder && c.acknowledged;
  return ended || reminds_in_vain ? name(CaseEvent::updated) : told;
}

bool reports_nothing(const std::string& told, const std::string& event,
                     const std::vector<std::string>& whats_new) {
  return told != case_event_name(CaseEvent::diagnosed) &&
         event == case_event_name(CaseEvent::updated) && whats_new.empty();
}

std::optional<MessageNow> message_now(const Engine& engine, const DigestItem& then,
                                      std::vector<std::string> whats_new,
                                      const MessageContext& context) {
  const Case* c = engine.find_case(then.uuid);
  if (!c) return {};
  MessageNow now;
  now.event = event_now(*c, then.event);
  std::optional<PartIndex> own;
  const PartIndex& index = context.index ? *context.index : own.emplace(context.inventory);
  check_relief(*c, context.world(index), whats_new);
  const auto first = case_event_name(CaseEvent::diagnosed);
  // A first message has all that there is to say: nothing in it is new.
  if (then.event == first) whats_new.clear();
  if (then.event == first && now.event != first)
    whats_new = c->merged_into.empty() ? std::vector{over_before_told(*parse_case_event(now.event))}
                                       : std::vector<std::string>{};
  now.nothing = reports_nothing(then.event, now.event, whats_new);
  Tidings tidings;
  tidings.news = {now.event, then.uuid, then.time_ns};
  tidings.whats_new = std::move(whats_new);
  now.message = message_of(engine, *c, tidings, context);
  return now;
}

}  // namespace fmd
