#include "fmd/hub/peer.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fmd {

Result<Peer> identify_peer(int fd) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return fail(fmt::format("cannot tell who connected: {}", std::strerror(errno)));
  Peer peer{credentials.pid, credentials.uid, credentials.gid, {}};
  peer.groups.resize(64);
  for (;;) {
    size = static_cast<socklen_t>(peer.groups.size() * sizeof(gid_t));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &size) == 0) break;
    if (errno != ERANGE)
      return fail(fmt::format("cannot tell the groups of who connected: {}", std::strerror(errno)));
    peer.groups.resize(size / sizeof(gid_t));
  }
  peer.groups.resize(size / sizeof(gid_t));
  return peer;
}

bool may_be_plugin(const Peer& peer, uid_t own_uid, std::optional<gid_t> plugin_gid) {
  if (peer.uid == 0 || peer.uid == own_uid) return true;
  return plugin_gid && in_group(peer, *plugin_gid);
}

bool in_group(const Peer& peer, gid_t group) {
  return peer.gid == group || std::count(peer.groups.begin(), peer.groups.end(), group) > 0;
}

std::optional<gid_t> group_id(const std::string& group) {
  if (group.empty()) return {};
  if (group.size() <= 9 && group.find_first_not_of("0123456789") == std::string::npos)
    return static_cast<gid_t>(std::stoul(group));
  const struct group* found = getgrnam(group.c_str());
  if (!found) return {};
  return found->gr_gid;
}

}  // namespace fmd
