#include "fmd/hub/grants.h"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/owners.h"

namespace fmd {
namespace {

// Does every class of `asked` lie within `given`?
bool narrower(std::string_view asked, std::string_view given) {
  if (!given.ends_with('*')) return asked == given;
  given.remove_suffix(1);
  return asked.starts_with(given);
}

bool any_prefix(std::string_view fmri, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return !prefix.empty() && fmri.starts_with(prefix);
  });
}

// "hc://chassis=*/bay=redfish-": its star is one value, which has no slash.
bool begins_with_pattern(std::string_view asked, std::string_view given) {
  const size_t star = given.find('*');
  if (star == given.npos) return !given.empty() && asked.starts_with(given);
  const size_t slash = asked.find('/', star);
  return asked.starts_with(given.substr(0, star)) && slash != asked.npos &&
         asked.substr(slash).starts_with(given.substr(star + 1));
}

// How much of `asked` that pattern covers.
size_t covered_length(std::string_view asked, std::string_view given) {
  if (!begins_with_pattern(asked, given)) return 0;
  const size_t star = given.find('*');
  return star == given.npos ? given.size() : asked.find('/', star) + given.size() - star - 1;
}

bool may_handle(const PluginGrant& grant, std::string_view asked) {
  return std::any_of(grant.handles.begin(), grant.handles.end(),
                     [&](const std::string& given) { return begins_with_pattern(asked, given); });
}

bool by_group(const Peer& peer, const PluginGrant& grant) {
  return grant.gid && in_group(peer, *grant.gid);
}

// Root in a shell, in no plugin's group, may do anything under the name of one of root's plugins.
bool bounded(const Peer& peer, const PluginGrant& grant) {
  return grant.group.empty() || !grant.user.empty() || by_group(peer, grant);
}

// key: where [plugin.NAME] would allow it.
tl::unexpected<Error> beyond_grant(const std::string& name, std::string_view verb,
                                   std::string_view what, std::string_view key) {
  return fail(fmt::format("[plugin.{}] does not let it {} {}: see {} of [plugin.{}] in fmd.toml",
                          name, verb, display(what, 128), key, name));
}

Result<void> within_grant(const PluginGrant& grant, const PluginHello& hello) {
  for (const std::string& asked : hello.observes)
    if (std::none_of(grant.observes.begin(), grant.observes.end(),
                     [&](const std::string& given) { return narrower(asked, given); }))
      return beyond_grant(hello.name, "observe", asked, "observes");
  const std::string own_outbox = "outbox:" + hello.name;
  for (const std::string& asked : hello.handles)
    if (grant.notifier ? asked != own_outbox : !may_handle(grant, asked))
      return beyond_grant(hello.name, "handle", asked, "handles");
  return {};
}

// ["a.*", "b"], as it is written in fmd.toml; the first few, since a stranger may ask for any number.
std::string listed(const std::vector<std::string>& texts) {
  constexpr size_t kMost = 4;
  std::string out;
  for (size_t i = 0; i < std::min(texts.size(), kMost); ++i)
    out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", display(texts[i], 128));
  return "[" + out + (texts.size() > kMost ? ", ...]" : "]");
}

// A user without the grant for that name: which one is missing, and how to add it.
tl::unexpected<Error> not_granted(uid_t uid, const PluginHello& hello, const PluginGrant* grant) {
  std::string text = fmt::format("uid {} may not be the plugin \"{}\": ", uid, hello.name);
  if (grant)
    return fail(text + fmt::format("[plugin.{}] in fmd.toml gives that name to {}", hello.name,
                                   grant->user.empty() ? "root" : grant->user));
  text += fmt::format("fmd.toml has no [plugin.{}]. Add [plugin.{}] with user = \"{}\"", hello.name,
                      hello.name, uid);
  if (!hello.observes.empty()) text += " and observes = " + listed(hello.observes);
  if (!hello.handles.empty()) text += " and handles = " + listed(hello.handles);
  return fail(text + ", then run 'systemctl reload fmd'");
}

// If the grant names "hc://system=1/sensor=room-", these sensors belong to that plugin.
bool is_named_exactly(const PluginGrant& grant, std::string_view fmri, const PartOwners& owners) {
  return std::any_of(grant.describes.begin(), grant.describes.end(),
                     [&](const std::string& prefix) {
                       return fmri.starts_with(prefix) && prefix.size() > owners.matched(fmri);
                     });
}

// True for properties that only fmd sets, to report what plugins contradict.
bool is_fmds_own(std::string_view property) {
  return property == kDisputed || property.starts_with(kSaidBy);
}

void rename_foreign_properties(const PartOwners& owners, const std::string& source,
                               Resource& resource) {
  const auto is_foreign = [&](const auto& property) {
    return is_fmds_own(property.first) || !owners.may_set(source, property.first);
  };
  if (std::none_of(resource.properties.begin(), resource.properties.end(), is_foreign)) return;
  std::vector<Properties::value_type> kept;
  for (const auto& property : resource.properties)
    kept.emplace_back(is_foreign(property) ? said_by(source, property.first) : property.first,
                      property.second);
  resource.properties = Properties(kept);
}

// Edges say which disk is in a bay and which parts hold a pool's data, and so which disk is overwritten.
void remove_foreign_edges(const std::string& source, Resource& resource) {
  const auto is_owner = [&](const PartOwners* owners) {
    return !owners || owners->is_owner(source);
  };
  const PartOwners* const own = owners_of(resource.fmri);
  std::erase_if(resource.edges, [&](const Edge& edge) {
    const bool holds = edge.relation == Relation::contains || edge.relation == Relation::redundancy;
    if (!holds) return false;
    if (own && own->own_edges && !own->is_owner(source)) return true;
    const PartOwners* const below = owners_of(edge.to);
    // A plugin cannot place a disk in another plugin's chassis, whatever type it reports for it.
    if (edge.relation == Relation::contains)
      return own && below && below->own_edges && !own->is_owner(source);
    return below && !below->retires.empty() && !is_owner(below);
  });
}

}  // namespace

bool class_within(std::string_view event_class, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return narrower(event_class, pattern); });
}

bool trusted(const Peer& peer, uid_t own_uid) {
  return peer.uid == 0 || peer.uid == own_uid;
}

std::string name_by_group(const Peer& peer, const PluginGrants& grants) {
  const auto own = std::find_if(grants.begin(), grants.end(),
                                [&](const auto& one) { return by_group(peer, one.second); });
  return own == grants.end() ? "" : own->first;
}

Result<void> may_bear(const Peer& peer, uid_t own_uid, const PluginGrants& grants,
                      const PluginHello& hello) {
  const auto grant = grants.find(hello.name);
  const bool given = grant != grants.end();
  if (trusted(peer, own_uid)) {
    const std::string own = name_by_group(peer, grants);
    if (!own.empty() && !(given && by_group(peer, grant->second)))
      return fail(
          fmt::format("who is in the group {} may not be the plugin \"{}\": it is the plugin "
                      "\"{}\", and no other",
                      grants.at(own).group, hello.name, own));
  } else if (!(given && grant->second.uid == peer.uid)) {
    return not_granted(peer.uid, hello, given ? &grant->second : nullptr);
  }
  if (!given || !bounded(peer, grant->second)) return {};
  return within_grant(grant->second, hello);
}

Result<void> may_describe(const Peer& peer, const PluginGrants& grants,
                          const InventoryUpdate& update) {
  const auto grant = grants.find(update.source);
  if (grant == grants.end() || !bounded(peer, grant->second)) return {};
  const auto check = [&](const std::string& fmri) -> Result<void> {
    if (any_prefix(fmri, grant->second.describes)) return {};
    return beyond_grant(update.source, "describe", fmri, "describes");
  };
  for (const Resource& resource : update.resources)
    if (auto good = check(resource.fmri); !good) return good;
  for (const auto& gone : update.gone)
    if (auto good = check(gone.fmri); !good) return good;
  return {};
}

void set_apart_foreign(const PluginGrants& grants, InventoryUpdate& update) {
  const auto grant = grants.find(update.source);
  if (grant == grants.end()) return;
  for (Resource& resource : update.resources) {
    remove_foreign_edges(update.source, resource);
    const PartOwners* const owners = owners_of(resource.fmri);
    if (owners && !is_named_exactly(grant->second, resource.fmri, *owners))
      rename_foreign_properties(*owners, update.source, resource);
  }
}

size_t granted_length(const PluginGrants& grants, const std::string& name, std::string_view asked) {
  const auto grant = grants.find(name);
  size_t longest = 0;
  if (grant != grants.end())
    for (const std::string& given : grant->second.handles)
      longest = std::max(longest, covered_length(asked, given));
  return longest > 0 ? longest : asked.size();
}

std::optional<uid_t> user_id(const std::string& user) {
  if (user.empty()) return {};
  if (user.size() <= 9 && user.find_first_not_of("0123456789") == std::string::npos)
    return static_cast<uid_t>(std::stoul(user));
  const passwd* found = getpwnam(user.c_str());
  if (!found) return {};
  return found->pw_uid;
}

}  // namespace fmd
