#include "fmd/control/queries.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/build_paths.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/base/toml.h"
#include "fmd/control/json_filter.h"
#include "fmd/model/fmri.h"
#include "fmd/model/fmri_in_text.h"
#include "fmd/model/inventory_around.h"
#include "fmd/notify/preferences_document.h"

namespace fmd {
namespace {

using nlohmann::json;

constexpr uint64_t kDefaultEvents = 1000, kMostEvents = 10000;
// Limit of one answer with events; the rest is the next page.
constexpr size_t kMostBytes = 1 << 20;
constexpr uint64_t kMostLookedAt = 8000;  // a page answers soon, if with nothing yet
constexpr size_t kLongestGlob = 256;
constexpr size_t kMostParts = 1000;                      // whose surroundings are searched
constexpr int64_t kLatelyNs = 5LL * 60 * 1'000'000'000;  // longer than who asks waits

std::string dump(const json& doc) {
  return doc.dump(-1, ' ', false, json::error_handler_t::replace);
}

const char* kind_name(RuleKind kind) {
  switch (kind) {
    case RuleKind::serd:
      return "serd";
    case RuleKind::immediate:
      return "immediate";
    case RuleKind::cause:
      return "cause";
    case RuleKind::state:
      return "state";
    case RuleKind::growth:
      return "growth";
    case RuleKind::threshold:
      return "threshold";
  }
  return "";
}

// The channel of that plugin which does not deliver; nullptr: each does, or it has none. The plugin is
// well then, as it says; people look for their mail here.
const Resource* failing_channel(const PluginRecord& record, const Inventory& inventory) {
  constexpr std::string_view kOutbox = "outbox:";
  for (const std::string& handled : record.hello.handles) {
    if (!handled.starts_with(kOutbox)) continue;
    const Resource* channel =
        inventory.find(make_fmri("fmd", {{"channel", handled.substr(kOutbox.size())}}));
    if (channel && channel->is("delivery", "failing")) return channel;
  }
  return nullptr;
}

json plugin_document(const std::string& name, const PluginRecord& record,
                     const Inventory& inventory, const Shown& shown) {
  const auto cursor = shown.cursors.find(name);
  std::string state(record.shown_state()), reason = with_places(inventory, record.shown_reason());
  if (const Resource* channel = failing_channel(record, inventory); channel && state == "ok") {
    state = "degraded";
    reason = fmt::format("messages are not delivered since {}: {}", channel->get("failing_since"),
                         channel->get("reason"));
  }
  json doc = {{"name", name},
              {"version", record.hello.version},
              {"state", state},
              {"reason", reason},
              {"connected", record.connected()},
              {"transient", record.hello.transient},
              {"observes", record.hello.observes},
              {"commands", record.hello.commands},
              {"handles", record.hello.handles},
              {"cursor", cursor == shown.cursors.end() ? "" : cursor->second},
              {"events_received", record.events_received},
              {"events_rejected", record.events_rejected},
              {"batches_unacked", record.batches_unacked},
              {"commands_sent", record.commands_sent},
              {"commands_failed", record.commands_failed},
              {"last_seen", record.last_seen_ns}};
  if (record.connected()) {
    doc["pid"] = record.process.pid;
    doc["uid"] = record.process.uid;
  }
  return doc;
}

json plugins_document(const PluginTable& plugins, const Inventory& inventory, const Shown& shown) {
  json out = json::array();
  for (const auto& [name, record] : plugins.all())
    out.push_back(plugin_document(name, record, inventory, shown));
  return out;
}

json store_document(const StoreFacts& store, const Shown& shown) {
  const StoreStats& stats = store.stats;
  const bool failing = !shown.store_failure.empty();
  return {{"file", shown.state_dir + "/fmd.db"},
          {"events", stats.events},
          {"last_seq", stats.last_seq},
          {"blocks", stats.blocks},
          {"journal_bytes", stats.journal_bytes},
          {"compression", shown.compression},
          {"packed_in_bytes", stats.packed.bytes_in},
          {"packed_out_bytes", stats.packed.bytes_out},
          {"packed_cpu", stats.packed.cpu_ns},
          {"sealed_in_bytes", stats.sealed.bytes_in},
          {"sealed_out_bytes", stats.sealed.bytes_out},
          {"sealed_cpu", stats.sealed.cpu_ns},
          {"readings", stats.readings},
          {"reading_blocks", stats.reading_blocks},
          {"readings_bytes", stats.readings_bytes},
          {"file_bytes", stats.file_bytes},
          {"begins", shown.begins_ns},
          {"moved_aside", store.moved_aside},
          {"failing", failing},
          {"failure", shown.store_failure},
          {"full", failing && store.full}};
}

// What an administrator should know about: plugins that cannot do their work, and what they say of
// others who act.
// One that does not work as it should is told of with the plugins: here is what those that do have to say.
json warnings_document(const Inventory& inventory, const PluginTable& plugins, const Shown& shown) {
  json out = json::array();
  for (const auto& [name, record] : plugins.all())
    if (record.shown_state() == "ok" && !record.shown_reason().empty())
      out.push_back(fmt::format("{}: {}", name, with_places(inventory, record.shown_reason())));
  for (const auto& [fmri, resource] : inventory.all())
    if (const std::string warning = resource.get("warning"); !warning.empty())
      out.push_back(fmt::format("{}: {}", fmri, warning));
  if (shown.dry_run_in_file && !shown.action.dry_run)
    out.push_back("dry run is off by 'fmadm dry-run off', but fmd.toml still has dry_run = true");
  if (!shown.store_failure.empty())
    out.push_back("the store cannot be written: " + shown.store_failure);
  return out;
}

}  // namespace

namespace {

// A page of the journal. Its lines are JSON already: put together as they are.
Result<std::string> page_of(const Store& store, const EventQuery& query, uint64_t most) {
  std::string events;
  uint64_t count = 0, next = query.after_seq;
  bool more = false;
  EventReach reach;
  const auto take = [&](const Event& event) {
    std::string line = event_to_line(event);
    while (line.ends_with('\n')) line.pop_back();
    // An item larger than a page is a page of its own.
    if (count == most || (count > 0 && events.size() + line.size() >= kMostBytes)) {
      more = true;
      return false;
    }
    if (count++ > 0) events += ',';
    events += line;
    next = event.seq;
    return true;
  };
  const Result<void> read = most == 0 ? Result<void>() : store.each_event(query, take, &reach);
  if (reach.more && !more) {
    more = true;
    next = std::max(next, reach.seq);
  }
  if (!read && count == 0) return tl::unexpected(read.error());
  std::string damage;
  if (!read) damage = fmt::format(",\"damage\":{}", dump(json(read.error().text())));
  return fmt::format("{{\"events\":[{}],\"next\":{},\"more\":{}{}}}", events, next, more, damage);
}

// Whether an event of one of these classes, some of which end in ".*", can match the glob. What only
// such a one covers, and is written much like a declared class, is a slip.
bool can_be(std::string_view glob, const std::vector<std::string>& classes) {
  const bool open = glob.ends_with('*');
  const std::string_view stem = open ? glob.substr(0, glob.size() - 1) : glob;
  return std::any_of(classes.begin(), classes.end(), [&](std::string_view name) {
    if (open && name.starts_with(stem)) return true;
    if (!name.ends_with(".*")) return name == stem;
    name.remove_suffix(1);
    return stem.starts_with(name) && (open || !nearest(stem, classes));
  });
}

}  // namespace

Result<StoreQuery> query_events(const Engine& engine, const std::vector<std::string>& classes,
                                std::string_view text) {
  auto parsed =
      JsonFilter::parse(text, {"after", "limit", "from", "to", "class", "resource", "uuid"});
  if (!parsed) return tl::unexpected(parsed.error());
  EventQuery query;
  query.after_seq =
      static_cast<uint64_t>(std::max<int64_t>(0, parsed->integer("after").value_or(0)));
  const auto limit = parsed->integer("limit");
  query.from_ns = parsed->integer("from");
  query.to_ns = parsed->integer("to");
  query.class_glob = parsed->text("class");
  query.resource = parsed->text("resource");
  const std::string uuid = parsed->text("uuid");
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  if (limit && (*limit < 1 || *limit > static_cast<int64_t>(kMostEvents)))
    return fail(fmt::format("\"limit\" must be from 1 to {}", kMostEvents));
  if (query.class_glob.size() > kLongestGlob)
    return fail(fmt::format("\"class\" is longer than {} characters", kLongestGlob));
  if (!query.resource.empty() && query.resource.find("://") == std::string::npos)
    return fail(fmt::format("\"resource\" must be an FMRI, as fmtopo prints them, and not \"{}\"",
                            display(query.resource)));
  if (!query.class_glob.empty() && !can_be(query.class_glob, classes))
    return fail(fmt::format("no event class is called \"{}\"{}", display(query.class_glob),
                            suggest(query.class_glob, classes)));
  query.look_at = kMostLookedAt;
  uint64_t most = limit ? static_cast<uint64_t>(*limit) : kDefaultEvents;
  query.limit = most + 1;  // one more tells whether there is another page
  if (!uuid.empty()) {
    const Case* c = engine.find_case(uuid);
    if (!c) return fail(fmt::format("there is no case {}", display(uuid)));
    for (const Evidence& e : c->evidence) query.seqs.push_back(e.seq);
    if (query.seqs.empty()) most = 0;
  }
  return [query, most](const Store& store) { return page_of(store, query, most); };
}

namespace {

// Also of those that ended lately: who asked for the open cases before may have been told of them. Somewhat more than
// kMostParts: there are more.
std::vector<std::string> parts_of_open_cases(const Engine& engine, int64_t now_ns) {
  std::set<std::string> parts;
  for (const auto& [id, c] : engine.cases()) {
    if (!c.open() && now_ns - c.resolved_ns > kLatelyNs) continue;
    parts.merge(c.parts());
    if (parts.size() > kMostParts) break;
  }
  return {parts.begin(), parts.end()};
}

}  // namespace

Result<std::string> query_resources(const Engine& engine, int64_t now_ns, std::string_view filter,
                                    Paging paging) {
  auto parsed =
      ListAnswer::filter(paging, filter, {"fmri", "type", "scheme", "around", "around_cases"});
  if (!parsed) return tl::unexpected(parsed.error());
  ListAnswer answer(paging, *parsed);
  const std::string fmri = parsed->text("fmri"), type = parsed->text("type"),
                    scheme = parsed->text("scheme");
  std::vector<std::string> parts = parsed->texts("around");
  const bool around_cases = parsed->boolean("around_cases");
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  if (parts.size() > kMostParts)
    return fail(fmt::format("\"around\" in the filter may name at most {} parts", kMostParts));
  if (around_cases && !parts.empty())
    return fail("\"around\" and \"around_cases\" in the filter exclude each other");
  if (around_cases) parts = parts_of_open_cases(engine, now_ns);
  const auto add = [&](const std::string& id, const Resource& resource) {
    if (!fmri.empty() && id != fmri) return true;
    if (!type.empty() && resource.type != type) return true;
    if (!scheme.empty() && !id.starts_with(scheme + "://")) return true;
    std::string text;
    Inventory::append_json(resource, text);
    return answer.add_text(id, text);
  };
  const Inventory& inventory = engine.inventory();
  const auto& all = inventory.all();
  if (parts.size() > kMostParts || (parts.empty() && !around_cases)) {
    for (auto at = all.upper_bound(answer.after()); at != all.end(); ++at)
      if (!add(at->first, at->second)) break;
  } else {
    const auto wanted = around(inventory, parts);
    for (auto at = wanted.upper_bound(answer.after()); at != wanted.end(); ++at)
      if (!add(*at, *inventory.find(*at))) break;
  }
  return answer.text();
}

std::string query_plugins(const PluginTable& plugins, const Inventory& inventory,
                          const Shown& shown) {
  return dump(plugins_document(plugins, inventory, shown));
}

Result<std::string> query_serd(const Engine& engine, std::string_view filter, Paging paging) {
  auto parsed = ListAnswer::filter(paging, filter, {});
  if (!parsed) return tl::unexpected(parsed.error());
  ListAnswer answer(paging, *parsed);
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  for (const SerdView& serd : engine.serd_engines()) {
    const std::string key = fmt::format("{} {}", serd.rule, serd.resource);
    if (!answer.wants(key)) continue;
    if (!answer.add(key, {{"rule", serd.rule},
                          {"resource", serd.resource},
                          {"count", serd.count},
                          {"n", serd.n},
                          {"within", serd.within_ns},
                          {"oldest", serd.oldest_ns},
                          {"newest", serd.newest_ns},
                          {"fired", serd.fired}}))
      break;
  }
  return answer.text();
}

Result<std::string> query_outbox(const Outbox& outbox, std::string_view filter, Paging paging) {
  auto parsed = ListAnswer::filter(paging, filter, {});
  if (!parsed) return tl::unexpected(parsed.error());
  ListAnswer answer(paging, *parsed);
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  for (auto at = outbox.next_after(answer.after_number()); at; at = outbox.next_after(*at))
    if (!answer.add(numbered_key(at->first, at->second), outbox.document(*at))) break;
  return answer.text();
}

namespace {

// The machine as DMI describes it, once fmd-system has reported it.
json host_document(const Inventory& inventory, const Shown& shown) {
  std::string platform = shown.host.platform, chassis = shown.host.chassis_id,
              serial = shown.host.product_sn;
  for (const auto& [fmri, r] : inventory.all()) {
    if (r.type != "system") continue;
    if (platform.empty()) {
      const std::string vendor = r.get("vendor"), model = r.get("model");
      const bool named = vendor.empty() || model.starts_with(vendor);
      platform = named ? model : model.empty() ? vendor : vendor + " " + model;
    }
    if (chassis.empty()) chassis = r.get("chassis_serial");
    if (serial.empty()) serial = r.get("serial");
    break;
  }
  return {{"name", shown.host.name},
          {"platform", platform},
          {"chassis_id", chassis},
          {"product_sn", serial}};
}

}  // namespace

std::string query_config(const Engine& engine, const StoreFacts& store, const PluginTable& plugins,
                         const Shown& shown) {
  json rules = json::array();
  for (const Rule& rule : shown.rules->rules())
    rules.push_back({{"name", rule.name},
                     {"kind", kind_name(rule.kind)},
                     {"fault", rule.fault->name},
                     {"file", rule.file}});
  const json doc = {{"version", FMD_VERSION},
                    {"dry_run", shown.action.dry_run},
                    {"dry_run_in_file", shown.dry_run_in_file},
                    {"host", host_document(engine.inventory(), shown)},
                    {"action",
                     {{"max_retired", shown.action.max_retired},
                      {"max_retired_within", shown.action.max_retired_within_ns},
                      {"locate_off_after", shown.action.locate_off_after_ns},
                      {"auto_replace", shown.action.auto_replace}}},
                    {"notify", channels_document(shown.notify)},
                    {"notify_rules", notify_rules_document(shown.notify)},
                    {"notify_warnings", preference_warnings(shown.notify)},
                    {"escalate", escalations_document(shown.notify)},
                    {"retention",
                     {{"journal_age", shown.retention.journal_age_ns},
                      {"journal_bytes", shown.retention.journal_bytes},
                      {"resolved_age", shown.retention.resolved_age_ns},
                      {"readings_age", shown.retention.readings_age_ns},
                      {"readings_bytes", shown.retention.readings_bytes},
                      {"bay_history_age", shown.retention.bay_history_age_ns}}},
                    {"socket", shown.socket},
                    {"state_dir", shown.state_dir},
                    {"files", shown.files},
                    {"rules", rules},
                    {"plugins", plugins_document(plugins, engine.inventory(), shown)},
                    {"errors", shown.reload_errors},
                    {"store", store_document(store, shown)},
                    {"warnings", warnings_document(engine.inventory(), plugins, shown)}};
  return dump(doc);
}

}  // namespace fmd
