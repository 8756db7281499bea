// ControlService: who is told what: maintenance windows, tests of the channels, and why somebody was told or
// not.
#include <fmt/format.h>
#include <syslog.h>

#include <memory>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/base/uuid.h"
#include "fmd/control/control_service.h"
#include "fmd/control/json_filter.h"
#include "fmd/model/part_name.h"
#include "fmd/notify/happening_message.h"

namespace fmd {
namespace {

constexpr int64_t kTestDeadlineMs = 60000;

struct Part {
  std::string fmri, name;
};

// The name that people read: an FMRI is for commands.
Part part_called(const Inventory& inventory, const std::string& fmri, const std::string& name) {
  return {fmri, name == fmri ? name_with_serial(inventory, fmri) : name};
}

// A pool, a chassis or any part by any of its names; "" the host.
Result<Part> scope_named(const Inventory& inventory, const std::string& name) {
  if (name.empty()) return Part{};
  std::vector<std::string> found;
  for (const auto& [fmri, resource] : inventory.all()) {
    const bool box = resource.type == "enclosure" &&
                     (resource.get("id") == name || resource.get("label") == name);
    const bool pool = (resource.type.ends_with("pool") || resource.type.ends_with("array")) &&
                      resource.get("name") == name;
    if (box || pool || fmri == name) found.push_back(fmri);
  }
  if (found.size() > 1)
    return fail(fmt::format("{} may be {} or {}: say which by its FMRI", display(name), found[0],
                            found[1]));
  if (found.size() == 1) return part_called(inventory, found.front(), name);
  const auto meant = inventory.meant(name);
  if (!meant) return tl::unexpected(meant.error());
  if (meant->empty()) return fail(fmt::format("no part is called {}", display(name)));
  return part_called(inventory, meant->front()->fmri, name);
}

nlohmann::json test_args(const std::string& channel, const std::string& host, Moment now,
                         const std::string& key) {
  return {{"key", key},
          {"event", "test"},
          {"subject", fmt::format("[fmd] {}: test of {}", display(host, 64), channel)},
          {"body", fmt::format("This is a test: somebody ran 'fmadm notify test' on {}.\n"
                               "Nothing is broken. Messages about faults come the same way.\n",
                               display(host, 64))},
          {"host", host},
          {"time", now.wall_ns},
          {"case", nlohmann::json::object()}};
}

// The answers of all channels, returned when the last one has come.
struct Round {
  nlohmann::json answers = nlohmann::json::array();
  size_t missing = 0;
  Control::Ordered done;

  void take(const std::string& channel, const std::string& status, const std::string& reason) {
    answers.push_back({{"channel", channel}, {"status", status}, {"reason", reason}});
    if (--missing == 0) done(dump_json(answers));
  }
};

}  // namespace

Result<std::string> ControlService::list_maintenance() const {
  return dump_json(voice_.alerts.maintenance.list(road_.now().wall_ns));
}

Result<std::string> ControlService::add_maintenance(std::string_view spec, std::string_view who) {
  auto parsed = JsonFilter::parse(spec, {"part", "from", "until", "reason"});
  if (!parsed) return tl::unexpected(parsed.error());
  const std::string name = parsed->text("part"), reason = parsed->text("reason");
  const auto from = parsed->integer("from"), until = parsed->integer("until");
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  if (!until) return fail("a window needs an end: \"until\"");
  if (auto taken = road_.take_in(); !taken) return tl::unexpected(taken.error());
  auto part = scope_named(engine_.inventory(), name);
  if (!part) return tl::unexpected(part.error());
  const Moment now = road_.now();
  MaintenanceWindow window{"",     part->fmri, part->name,      from.value_or(now.wall_ns),
                           *until, reason,     std::string(who)};
  const std::string words = window.words();
  auto id = voice_.alerts.maintenance.add(std::move(window), now.wall_ns);
  if (!id) return id;
  log_line(LOG_NOTICE, fmt::format("{} began window {}: {}", who, *id, words));
  if (auto written = road_.commit(); !written) return tl::unexpected(written.error());
  return id;
}

Result<void> ControlService::end_maintenance(std::string_view id, std::string_view who) {
  if (auto taken = road_.take_in(); !taken) return taken;
  const auto ended = voice_.alerts.maintenance.end(id);
  if (!ended) return tl::unexpected(ended.error());
  voice_.telling.let_go();
  voice_.happenings.let_go();
  voice_.alerts.reminders.look_at_all();
  log_line(LOG_NOTICE, fmt::format("{} ended window {}: {}", who, display(id), ended->words()));
  return road_.commit();
}

Result<std::string> ControlService::explain_notify(std::string_view filter) const {
  auto parsed = JsonFilter::parse(filter, {"uuid"});
  if (!parsed) return tl::unexpected(parsed.error());
  const std::string id = parsed->text("uuid");
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  // A message's key begins with its subject: "<uuid>:resolved:7", also as a row's "…@mail".
  const std::string uuid = id.substr(0, id.find(':'));
  const std::string key = uuid == id ? std::string() : id.substr(0, id.find('@'));
  if (!engine_.find_case(uuid) && !voice_.happenings.find(uuid))
    return fail(fmt::format("there is no case and no event {}", display(uuid)));
  nlohmann::json notices = voice_.alerts.explain(uuid, sight_.outbox);
  if (!key.empty())
    std::erase_if(notices.get_ref<nlohmann::json::array_t&>(),
                  [&](const nlohmann::json& notice) { return json_text(notice, "key") != key; });
  return dump_json(notices);
}

Result<std::string> ControlService::list_happenings() const {
  nlohmann::json out = voice_.happenings.list();
  for (nlohmann::json& one : out) {
    const Happening* happening = voice_.happenings.find(json_text(one, "uuid"));
    if (happening) one["text"] = headline_of(*happening);
    nlohmann::json told = nlohmann::json::array();
    for (const auto& notice : voice_.alerts.explain(json_text(one, "uuid"), sight_.outbox))
      if (json_text(notice, "state") != "not-sent") told.push_back(json_text(notice, "channel"));
    one["channels"] = std::move(told);
  }
  return dump_json(out);
}

void ControlService::test_notify(std::string_view channel, std::string_view who, Ordered done) {
  std::vector<std::string> channels;
  for (const std::string& name : voice_.alerts.preferences().all_channels())
    if (channel.empty() || name == channel) channels.push_back(name);
  if (channels.empty())
    return done(fail(channel.empty()
                         ? "no channel is configured"
                         : fmt::format("no channel {} is configured", display(channel))));
  log_line(LOG_NOTICE, fmt::format("{} ordered a test of the channels", who));
  const auto round = std::make_shared<Round>();
  round->missing = channels.size();
  round->done = std::move(done);
  for (const std::string& name : channels) {
    PluginCall call;
    call.target = call.resource = "outbox:" + name;
    call.name = "deliver";
    call.key = "test:" + new_uuid();
    call.args = dump_json(test_args(name, road_.shown().host.name, road_.now(), call.key));
    call.deadline_ms = kTestDeadlineMs;
    if (!hub_.handles(call.target)) {
      round->take(name, "failed",
                  fmt::format("no plugin is connected that takes it; is fmd-{} running?", name));
      continue;
    }
    hub_.call(call, [this, round, name](const PluginAnswer& answer) {
      // A test after a repair of the channel also retries its waiting messages.
      if (answer.status == "done") {
        voice_.outbox.proved(name, road_.now());
        (void)road_.commit();
      }
      round->take(name, answer.status, answer.reason);
    });
  }
}

}  // namespace fmd
