// PluginHub: its socket, and who comes in by it.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/log.h"
#include "fmd/base/moment.h"
#include "fmd/hub/hub.h"
#include "fmd/hub/session.h"

namespace fmd {

Result<void> PluginHub::listen(const std::string& path, const std::string& plugin_group) {
  plugin_gid_ = group_id(plugin_group);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return fail("the socket's path is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  listen_fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto failed = [&](const char* what) {
    return fail(fmt::format("plugins cannot connect: {}: {}", what, std::strerror(errno)), path);
  };
  if (listen_fd_ < 0) return failed("socket");
  unlink(path.c_str());  // of an earlier run: the store's lock keeps a second fmd from getting here
  const mode_t mask = umask(0117);
  const int bound = bind(listen_fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  umask(mask);
  if (bound != 0) return failed("bind");
  path_ = path;
  if (plugin_gid_ && chown(path.c_str(), static_cast<uid_t>(-1), *plugin_gid_) != 0 &&
      geteuid() == 0)
    return failed("chown");
  if (::listen(listen_fd_, 64) != 0) return failed("listen");
  if (sd_event_add_io(loop_, &listener_, listen_fd_, EPOLLIN, on_accept, this) < 0)
    return failed("event loop");
  arm_timer();
  return {};
}

void PluginHub::stop() {
  stopping_ = true;
  sd_event_source_disable_unref(listener_);
  listener_ = nullptr;
  if (listen_fd_ >= 0) {
    ::close(listen_fd_);
    unlink(path_.c_str());
  }
  listen_fd_ = -1;
}

// The peer stays in the queue, so the loop would come back at once, for ever.
void PluginHub::close_door(const std::string& why) {
  if (!std::exchange(door_fails_, true))
    log_line(LOG_ERR, "no plugin can connect now, tried again each second: " + why);
  sd_event_source_set_enabled(listener_, SD_EVENT_OFF);
  door_opens_ns_ = add_times(clock_.boot_ns(), kDoorNs);
  arm_timer();
}

void PluginHub::open_door() {
  if (door_opens_ns_ == 0 || clock_.boot_ns() < door_opens_ns_) return;
  door_opens_ns_ = 0;
  sd_event_source_set_enabled(listener_, SD_EVENT_ON);
}

int PluginHub::on_accept(sd_event_source*, int fd, uint32_t, void* self) {
  auto* hub = static_cast<PluginHub*>(self);
  const int accepted = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) {
    const bool lacks = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (lacks) hub->close_door(std::strerror(errno));
    return 0;
  }
  hub->door_fails_ = false;
  const Result<Peer> peer = identify_peer(accepted);
  std::string refusal;
  if (!peer)
    refusal = peer.error().message;
  else if (!may_be_plugin(*peer, hub->own_uid_, hub->plugin_gid_))
    refusal = fmt::format(
        "uid {} may not speak as a plugin: it is not in plugin_group (fmd.toml), fmd-plugins by "
        "default",
        peer->uid);
  else
    refusal = hub->no_place_for(*peer);
  if (refusal.empty()) {
    hub->add_peer(accepted, *peer);
    return 0;
  }
  const std::string line = wire::error(std::nullopt, -32600, refusal);
  (void)!::send(accepted, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::close(accepted);
  hub->report("unidentified", refusal);
  return 0;
}

// Root and fmd's own user have all places; what others may take leaves enough for them, and one of
// the others cannot take all that the others may. Nor can one of root's plugins.
std::string PluginHub::no_place_for(const Peer& peer) const {
  if (sessions_.size() >= kMaxConnections)
    return fmt::format("there are {} connections already", kMaxConnections);
  if (trusted(peer, own_uid_)) {
    const std::string name = name_by_group(peer, grants_);
    if (name.empty()) return {};
    const auto same = std::count_if(sessions_.begin(), sessions_.end(), [&](const auto& one) {
      return name_by_group(one.second->connection->peer(), grants_) == name;
    });
    if (same < static_cast<std::ptrdiff_t>(kMaxOfUser)) return {};
    return fmt::format("fmd-{} has {} connections already", name, same);
  }
  size_t others = 0, same = 0;
  for (const auto& [id, one] : sessions_) {
    const Peer& there = one->connection->peer();
    if (!trusted(there, own_uid_)) ++others;
    if (there.uid == peer.uid) ++same;
  }
  if (same >= kMaxOfUser) return fmt::format("uid {} has {} connections already", peer.uid, same);
  if (others >= kMaxOfOthers)
    return fmt::format("there are {} connections of other users than root already", others);
  return {};
}

void PluginHub::set_grants(PluginGrants grants) {
  for (auto& [name, grant] : grants) {
    grant.uid = user_id(grant.user);
    grant.gid = group_id(grant.group);
  }
  grants_ = std::move(grants);
  std::vector<std::pair<std::shared_ptr<Connection>, std::string>> lost;
  for (const auto& [id, one] : sessions_) {
    const PluginRecord* record = one->name.empty() ? nullptr : table_.find(one->name);
    if (!record) continue;
    if (const auto may = may_bear(one->connection->peer(), own_uid_, grants_, record->hello); !may)
      lost.emplace_back(one->connection, may.error().message);
  }
  for (const auto& [connection, why] : lost) connection->cut_off(why);
}

}  // namespace fmd
