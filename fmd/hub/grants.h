// Grants: who may bear which plugin's name, and what it may do under it. Root and fmd's own user may
// bear every name: they own the machine, or fmd itself. Anybody else bears only a name that
// [plugin.NAME] of fmd.toml gives to that user. What a grant names holds for whoever bears the name,
// root too: a notifier that is broken into delivers, and does nothing else.
//
// Plugins that run as root are told apart by a group that their unit gives each of them. A process of
// root's in such a group bears that name and no other, within what the grant names: without
// CAP_SETGID, which no plugin has, it cannot leave the group, and the kernel tells the groups as they
// were at connect(). A cgroup would have to be read from /proc, of a process that may be another by
// then, and of which fmd, with ProtectProc=invisible, sees nothing. Pure.
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
  std::string user;                   // whose name it is; "": root's and fmd's own only
  std::optional<uid_t> uid;           // of user, nothing while there is no such user
  bool notifier = false;              // delivers "outbox:NAME" and nothing else
  std::vector<std::string> observes;  // classes, "a.b.*" what begins with "a.b."
  // FMRI prefixes whose commands it may take; "*" stands for one value: "hc://chassis=*/bay=redfish-".
  std::vector<std::string> handles;
  std::vector<std::string> describes;  // FMRI prefixes of what it may describe and measure
  bool reads_serials = false;          // over D-Bus too: what root alone may read of the machine
  std::string group;                   // root's in it bears this name only
  std::optional<gid_t> gid;            // of group, nothing while there is no such group
};
using PluginGrants = std::map<std::string, PluginGrant, std::less<>>;

// "a.b.*" what begins with "a.b.", "*" everything, else that class itself.
bool class_within(std::string_view event_class, const std::vector<std::string>& patterns);

// root, or fmd's own user.
bool trusted(const Peer& peer, uid_t own_uid);
// The name of whose group the peer is, the first of several; "" of none.
std::string name_by_group(const Peer& peer, const PluginGrants& grants);
// Whether that peer may bear the name that its hello gives, with all that it asks for there.
Result<void> may_bear(const Peer& peer, uid_t own_uid, const PluginGrants& grants,
                      const PluginHello& hello);
// Whether that bearer of that name may describe this. update.source is the name.
Result<void> may_describe(const Peer& peer, const PluginGrants& grants,
                          const InventoryUpdate& update);

// Renames properties that only another plugin may set (owners.h) to "said_by.NAME.PROPERTY": they are shown,
// and no decision uses them. Does nothing for a name without a grant, which only root can use.
void rename_foreign_properties(const PluginGrants& grants, InventoryUpdate& update);

// user's uid: a number, or a name that the system knows.
std::optional<uid_t> user_id(const std::string& user);

}  // namespace fmd
