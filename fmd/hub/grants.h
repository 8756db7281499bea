// Grants: who may use which plugin name, and what a plugin may do under it. Root and fmd's own user
// may use every name. Other users may use only the names that [plugin.NAME] in fmd.toml gives them.
// The limits of a grant apply to every user of the name, including root: a compromised notifier can
// only deliver.
//
// Plugins that run as root are distinguished by a group that their unit assigns. A root process in
// such a group may use only that name, within its grant. Without CAP_SETGID, which no plugin has,
// it cannot leave the group, and the kernel reports the groups as of connect(). A cgroup would have
// to be read from /proc, for a process that may be another one by then, and which fmd cannot see
// because of ProtectProc=invisible. Pure.
#pragma once
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/hub/peer.h"
#include "fmd/hub/plugin_table.h"
#include "fmd/model/inventory.h"

namespace fmd {

struct PluginGrant {
  std::string user;                   // user of the plugin; "": only root and fmd
  std::optional<uid_t> uid;           // of user, nothing while there is no such user
  bool notifier = false;              // delivers "outbox:NAME" and nothing else
  std::vector<std::string> observes;  // classes, "a.b.*" what begins with "a.b."
  // FMRI prefixes whose commands it may receive; "*" stands for one value:
  // "hc://chassis=*/bay=redfish-".
  std::vector<std::string> handles;
  std::vector<std::string> describes;  // FMRI prefixes that it may describe and measure
  bool reads_serials = false;          // over D-Bus too: what root alone may read of the machine
  std::string group;                   // root's in it uses this name only
  std::optional<gid_t> gid;            // of group, nothing while there is no such group
};
using PluginGrants = std::map<std::string, PluginGrant, std::less<>>;

// "a.b.*" what begins with "a.b.", "*" everything, else that class itself.
bool class_within(std::string_view event_class, const std::vector<std::string>& patterns);

// root, or fmd's own user.
bool trusted(const Peer& peer, uid_t own_uid);
// The plugin whose group the peer is in, the first of several; "": none.
std::string name_by_group(const Peer& peer, const PluginGrants& grants);
// Whether that peer may use the name in its hello, with everything that it requests there.
Result<void> may_bear(const Peer& peer, uid_t own_uid, const PluginGrants& grants,
                      const PluginHello& hello);
// Whether that bearer of that name may describe this. update.source is the name.
Result<void> may_describe(const Peer& peer, const PluginGrants& grants,
                          const InventoryUpdate& update);

// Renames properties that only other plugins may set (owners.h) to "said_by.NAME.PROPERTY": they are shown, and no
// decision uses them. Removes edges that only other plugins may give. Does nothing for a name without a grant, which
// only root can use, nor for parts that `describes` in fmd.toml grants more exactly than the owners' table names them.
void set_apart_foreign(const PluginGrants& grants, InventoryUpdate& update);

// How much of an FMRI prefix that a plugin of that name handles counts against other plugins' prefixes: as much as its
// grant names. A plugin that asks for more than that gains nothing. All of it where no grant names any: that is a notifier's own
// outbox, or root's.
size_t granted_length(const PluginGrants& grants, const std::string& name, std::string_view asked);

// user's uid: a number, or a name that the system knows.
std::optional<uid_t> user_id(const std::string& user);

}  // namespace fmd
