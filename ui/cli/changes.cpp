// fmadm acquit, repaired, acknowledge, locate and others that change a case or an LED.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "fmd/base/counted.h"
#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/inventory.h"
#include "fmd/model/kept_out.h"
#include "ui/cli/about_part.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {

namespace {

// Parts and complete case ids: several words may form one name, and an id may be abbreviated.
Result<std::vector<std::string>> judged_things(Client& client,
                                               const std::vector<std::string>& words) {
  const bool plain = words.size() == 1 && (is_uuid(words[0]) || !is_id_prefix(words[0]));
  if (plain) return words;
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  std::vector<std::string> things = parts_meant(*inventory, words);
  for (std::string& one : things) {
    if (is_uuid(one) || !is_id_prefix(one) || !inventory->lookup(one).empty()) continue;
    auto id = case_id(client, one);
    if (!id) return tl::unexpected(id.error());
    one = std::move(*id);
  }
  return things;
}

Result<Case> fetch_case(Client& client, const std::string& uuid) {
  const auto docs = client.query("ListCases", {{"all", true}, {"uuid", uuid}});
  if (!docs) return tl::unexpected(docs.error());
  for (const nlohmann::json& doc : *docs) return case_from_json(doc);
  return fail("There is no case " + clean(uuid));
}

// The part of a case that was named by its id.
std::string part_in(Client& client, const std::string& uuid) {
  const auto c = fetch_case(client, uuid);
  if (!c || c->suspects.empty()) return clean(uuid);
  const Suspect& lead = c->suspects.front();
  return lead.location.empty() ? shown_name(client, lead.resource) : clean(lead.location);
}

// Cases in `judged` to which an earlier argument of this command has already applied the verdict for
// `one`, a case id or a part. FMA's form `acquit FMRI UUID` names the same part twice.
std::vector<std::string> judged_already(Client& client, const std::string& one,
                                        const JudgeOptions& options,
                                        const std::set<std::string>& judged) {
  if (judged.contains(one)) return {one};
  std::vector<std::string> out;
  if (judged.empty() || is_uuid(one)) return out;
  const auto inventory = fetch_inventory(client);
  if (!inventory) return out;
  const std::set<std::string> names = names_of_part(*inventory, one);
  for (const std::string& uuid : judged) {
    const auto c = fetch_case(client, uuid);
    if (c && std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
          return status_name(s.status) == options.verdict && is_about(s, names);
        }))
      out.push_back(uuid);
  }
  return out;
}

// The parts of these cases, and the members of pools and arrays on their disks.
std::set<std::string> members_of(Client& client, const Inventory& inventory,
                                 const std::set<std::string>& uuids) {
  std::set<std::string> members;
  for (const std::string& uuid : uuids) {
    const auto c = fetch_case(client, uuid);
    if (!c) continue;
    for (const Suspect& s : c->suspects) {
      members.insert({s.resource, s.asru});
      for (const Resource* user : inventory.parents(s.fru, Relation::redundancy))
        members.insert(user->fmri);
    }
  }
  return members;
}

// Lines about parts that stay out of service after the verdict, because ZFS, ZED or a person took them
// out: fmd does not undo that.
std::string still_out(Client& client, const std::set<std::string>& uuids) {
  const auto inventory = fetch_inventory(client);
  const auto actions = client.query("ListActions");
  if (!inventory) return {};
  std::string out;
  for (const std::string& fmri : members_of(client, *inventory, uuids)) {
    const Resource* member = inventory->find(fmri);
    if (!member || !member->present) continue;
    const std::string label = inventory->location(disk_of(*inventory, fmri));
    const std::string name = clean(label.empty() ? member->get("name") : label);
    if (member->type == "zfs-vdev" && member->is("state_by", "zfs"))
      out += wrapped("", name + ": " + clean(zfs_keeps_out(*member)), 2);
    for (const nlohmann::json& action : actions ? *actions : nlohmann::json::array())
      if (const std::string undo = fmd::json_text(action, "undo");
          fmd::json_text(action, "part") == fmri && undo.starts_with("fmadm restore"))
        out += wrapped("",
                       fmt::format("{}: a person took it out of service: '{}' puts it back", name,
                                   clean(undo)),
                       2);
  }
  return out;
}

}  // namespace

Result<void> judge(Client& client, const JudgeOptions& options) {
  nlohmann::json done = nlohmann::json::array();
  std::set<std::string> cases;
  auto judged = judged_things(client, options.what);
  if (!judged) return tl::unexpected(judged.error());
  for (const std::string& one : *judged) {
    const bool uuid = is_uuid(one);
    auto uuids = client.judge(options.verdict, uuid ? one : "", uuid ? "" : one, options.force);
    if (!uuids && !client.away())
      if (auto earlier = judged_already(client, one, options, cases); !earlier.empty())
        uuids = std::move(earlier);
    if (!uuids) return tl::unexpected(uuids.error());
    cases.insert(uuids->begin(), uuids->end());
    if (uuids->empty()) return fail(clean(one) + ": no open case concerns it; see: fmadm faulty");
    for (const std::string& id : *uuids) {
      done.push_back({{"what", one}, {"verdict", options.verdict}, {"uuid", id}});
      if (options.json) continue;
      const std::string what = uuid ? part_in(client, id) : shown_name(client, one);
      if (auto said = print(fmt::format("{}: {} in case {}\n", what, options.verdict, clean(id)));
          !said)
        return said;
    }
  }
  if (options.json) return print(json_text(done));
  return options.verdict == "replaced" ? Result<void>{} : print(still_out(client, cases));
}

Result<void> acknowledge(Client& client, const std::string& uuid, const std::string& comment) {
  const auto id = case_id(client, uuid);
  if (!id) return tl::unexpected(id.error());
  if (auto done = client.acknowledge(*id, comment); !done) return done;
  return print("case " + clean(*id) + ": acknowledged\n");
}

// The command overrides the file, also after restarts, so a contradiction is pointed out.
static std::string file_words(const nlohmann::json& config) {
  return json_bool(config, "dry_run_in_file") ? "fmd.toml still has dry_run = true\n" : "";
}

Result<void> dry_run(Client& client, bool on) {
  if (auto done = client.set_dry_run(on); !done) return done;
  if (on) return print("dry run on: fmd says what it would do and does not do it\n");
  const auto config = client.query("GetConfig");
  return print("dry run off: fmd acts\n" + (config ? file_words(*config) : std::string()));
}

Result<void> show_dry_run(Client& client) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  return print(json_bool(*config, "dry_run")
                   ? "dry run is on: fmd announces actions and carries none out\n"
                   : "dry run is off: fmd acts\n" + file_words(*config));
}

Result<void> reload(Client& client) {
  const auto errors = client.reload();
  if (!errors) return tl::unexpected(errors.error());
  if (errors->empty()) return print("rules and configuration read again\n");
  for (const std::string& error : *errors) fmt::print(stderr, "{}\n", clean_prose(error));
  return fail(counted(errors->size(), "error") + "; rules and configuration are unchanged");
}

namespace {

Result<Resource> fetch_resource(Client& client, const std::string& fmri) {
  const auto list = client.query("ListResources", {{"fmri", fmri}});
  if (!list) return tl::unexpected(list.error());
  for (const auto& doc : *list) {
    auto resource = Inventory::resource_from_json(doc);
    if (resource && resource->fmri == fmri) return resource;
  }
  return fail(clean(fmri) + " is not known any more");
}

// Returns the bay once its LED has the wished state or never will, or when the time is up.
Result<Resource> settled(Client& client, const std::string& bay, bool on, int wait_ms) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(wait_ms);
  for (;;) {
    auto resource = fetch_resource(client, bay);
    if (!resource) return resource;
    if (resource->is("led.locate", on ? "on" : "off") || resource->is("led.locate", "cannot-drive"))
      return resource;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return resource;
    // A signal from fmd ends the wait early.
    if (auto news = client.wait(static_cast<uint64_t>(std::min<int64_t>(left, 500))); !news)
      return tl::unexpected(news.error());
  }
}

// When fmd switches a locate LED off by itself; "" if it never does.
std::string light_ends(Client& client, const Resource& part) {
  const auto config = client.query("GetConfig");
  if (!config) return {};
  const auto action = config->find("action");
  const int64_t lasts =
      action != config->end() && action->is_object() ? json_int(*action, "locate_off_after") : 0;
  std::string when = lasts > 0 ? "after " + format_duration(lasts) : "";
  if (part.type == "bay")
    when += (when.empty() ? "" : ", ") +
            std::string("when another disk is in the bay, or when its case ends");
  return when.empty() ? "" : "It goes off " + when + ".\n";
}

}  // namespace

Result<void> locate(Client& client, const std::string& part, bool on, int wait_ms, bool json) {
  if (auto done = client.subscribe(); !done) return done;
  const auto bay = client.locate(part, on);
  if (!bay) return tl::unexpected(bay.error());
  const auto resource = settled(client, *bay, on, wait_ms);
  if (!resource) return tl::unexpected(resource.error());
  const std::string led = resource->get("led.locate"), label = resource->get("label");
  // If the part was named in another way, another shelf may also have a bay with this label.
  const std::string where = part == label ? clean(label) : shown_name(client, *bay);
  const bool as_asked = led == (on ? "on" : "off");
  const bool seen = as_asked && !resource->is("led.reads_back", "false");
  if (json) {
    auto said = print(json_text({{"bay", *bay},
                                 {"label", label},
                                 {"on", on},
                                 {"led", led},
                                 {"confirmed", seen},
                                 {"reason", resource->get("led.reason")}}));
    if (!said) return said;
  }
  if (led == "cannot-drive")
    return fail(where +
                ": the locate LED cannot be driven: " + clean_prose(resource->get("led.reason")));
  if (json) return {};
  return print(where + ": locate LED " + (on ? "on" : "off") +
               (seen       ? ""
                : as_asked ? " sent; it cannot be read back"
                           : " asked for, not confirmed yet") +
               '\n' + (on && as_asked ? light_ends(client, *resource) : ""));
}

}  // namespace fmd::cli
