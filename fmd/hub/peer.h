// The peer of the plugin socket, as the kernel reports it (SO_PEERCRED, SO_PEERGROUPS), and whether
// it may act as a plugin.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd {

struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary
};

// fd: a connected Unix socket.
Result<Peer> identify_peer(int fd);
// uid 0, own_uid, or a member of plugin_gid when there is such a group.
bool may_be_plugin(const Peer& peer, uid_t own_uid, std::optional<gid_t> plugin_gid);
// Its own group, or one of the supplementary ones.
bool in_group(const Peer& peer, gid_t group);
// group's gid: a number, or a name that the system knows.
std::optional<gid_t> group_id(const std::string& group);

}  // namespace fmd
