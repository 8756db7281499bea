// Pipeline: the messages of a group, composed before it is written: cases, reminders, other news.
#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/advice/say.h"
#include "fmd/base/text.h"
#include "fmd/daemon/pipeline.h"
#include "fmd/notify/case_digest.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/case_message.h"
#include "fmd/notify/happening_message.h"
#include "fmd/notify/message.h"
#include "fmd/notify/told.h"

namespace fmd {

void Pipeline::tell(Moment now) {
  Telling& telling = durable_.telling;
  const auto find = [this](std::string_view uuid) { return durable_.engine.find_case(uuid); };
  for (CaseNews& news : durable_.engine.take_news()) {
    if (const Case* c = find(news.uuid)) telling.take(news, *c, now);
    next_.changes.cases[news.uuid] = news.event;
    next_.changes.news.push_back(std::move(news));
  }
  for (const std::string& uuid : std::exchange(changed_cases_, {})) {
    durable_.alerts.reminders.case_changed(uuid);
    if (const Case* c = find(uuid)) telling.looked(*c, now);
  }
  const auto expected = [this, now](const Suspect& suspect) {
    return arrivals_.expected_for(suspect, now.steady_ns);
  };
  if (!durable_.alerts.maintenance.on_time(now.wall_ns).empty()) {
    telling.let_go();
    durable_.happenings.let_go();
    durable_.alerts.reminders.look_at_all();
  }
  const Telling::Held held = [this, now](const Case& c) {
    return durable_.alerts.held(c, durable_.engine.inventory(), now);
  };
  for (const Tidings& tidings : telling.due(find, expected, now, held)) announce(tidings, now);
  for (const Telling::Withheld& w : telling.take_withheld())
    if (const Case* c = find(w.uuid))
      durable_.alerts.withheld(*c, case_event_name(w.event), durable_.engine.inventory(), now);
  remind(held, now);
  tell_happenings(now);
  close_digests(now);
  for (std::string& line : durable_.alerts.take_said())
    next_.log.push_back({LOG_INFO, std::move(line)});
}

// The index of parts is made only when a digest is due.
void Pipeline::close_digests(Moment now) {
  const auto next = durable_.outbox.next_digest_ns();
  if (!next || *next > now.steady_ns) return;
  const MessageContext context = message_context();
  durable_.outbox.close_digests(now, digest_now(durable_.engine, context));
}

void Pipeline::tell_happenings(Moment now) {
  using Turn = Happenings::Turn;
  const Inventory& inventory = durable_.engine.inventory();
  Alerts& alerts = durable_.alerts;
  const auto window = [&](const Happening& happening) {
    return alerts.maintenance.covering(parts_of(happening), inventory, now.wall_ns);
  };
  const auto held = [&](const Happening& happening) { return window(happening) != nullptr; };
  for (Happenings::Due& due : durable_.happenings.due(durable_.sight(now), held)) {
    const Happening& happening = due.happening;
    const std::string event(happening_name(happening.kind));
    if (due.first) next_.changes.happenings.push_back(happening);
    if (due.turn == Turn::waits) {
      alerts.withheld(happening.uuid, event, window(happening), now);
      continue;
    }
    Tidings tidings;
    tidings.news = {event, happening.uuid, happening.time_ns};
    if (due.turn == Turn::over) tidings.unsent = "it was over before the maintenance was";
    if (due.turn == Turn::too_often)
      tidings.unsent = fmt::format("the same was told {} times within {}", Happenings::kMostCounted,
                                   format_duration(Happenings::kCountedNs));
    alerts.tell(tidings, facts_of(happening, inventory), now, durable_.outbox,
                {[&] { return compose_happening(happening, host_, inventory); },
                 [&] { return digest_item(happening, inventory); }});
  }
  for (const std::string& uuid : durable_.happenings.take_forgotten()) alerts.forget_case(uuid);
}

void Pipeline::remind(const Telling::Held& held, Moment now) {
  const Engine& engine = durable_.engine;
  for (Reminders::Due& due :
       durable_.alerts.reminders.due(engine.cases(), engine.inventory(), held, now)) {
    Tidings again;
    again.news = {std::string(case_event_name(CaseEvent::reminder)), due.uuid, now.wall_ns};
    again.only_to = std::move(due.target);
    announce(again, now);
  }
}

MessageContext Pipeline::message_context() {
  const Inventory& inventory = durable_.engine.inventory();
  const ActionConfig& action = durable_.reconciler.config();
  const CasesByAge& open = durable_.engine.open_cases_by_age();
  return {host_,
          inventory,
          action.dry_run,
          durable_.alerts.preferences().explain_url,
          &index_.of(inventory),
          action.auto_replace,
          {},
          {open.begin(), open.end()}};
}

void Pipeline::announce(Tidings tidings, Moment now) {
  const Case* c = durable_.engine.find_case(tidings.news.uuid);
  if (!c) return;
  const Inventory& inventory = durable_.engine.inventory();
  // Maintenance would hold back the message about the cause, but not the end of a case that was reported.
  const Case* by = durable_.engine.find_case(tidings.covered_by);
  if (!by || durable_.alerts.held(*by, inventory, now)) tidings.covered_by.clear();
  const bool dry_run = durable_.reconciler.config().dry_run;
  if (!relief_sentence(*c).empty()) {
    const SayWorld world{inventory, index_.of(inventory), dry_run};
    const Relief relief = check_relief(*c, world, tidings.whats_new);
    if (relief == Relief::unproven) durable_.telling.relief_not_sent(*c, now);
    if (relief != Relief::holds && tidings.whats_new.empty() &&
        parse_case_event(tidings.news.event) == CaseEvent::updated) {
      if (relief == Relief::unproven) return;  // it is due again
      tidings.unsent = "the part can no longer be pulled safely";
    }
  }
  durable_.alerts.tell(tidings, *c, inventory, now, durable_.outbox,
                       {[&] { return message_of(durable_.engine, *c, tidings, message_context()); },
                        [&] { return digest_item(*c, tidings.news, message_context()); }});
}

}  // namespace fmd
