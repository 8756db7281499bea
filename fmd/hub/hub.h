// PluginHub: the daemon's side of the plugin socket. Listens, checks who connects, speaks the
// protocol (schemas/plugin-protocol.md), supervises the plugins, and routes commands to them. It
// passes messages to the PluginIntake; replies come back through welcome() and answer() once they
// are committed. Never waits for a peer: one that sends malformed or too much data, or does not
// read, is disconnected and reported. Single thread.
#pragma once
#include <systemd/sd-event.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/clock.h"
#include "fmd/hub/calls.h"
#include "fmd/hub/connection.h"
#include "fmd/hub/flow.h"
#include "fmd/hub/grants.h"
#include "fmd/hub/plugin_table.h"
#include "fmd/hub/routing.h"
#include "fmd/hub/rpc.h"
#include "fmd/hub/unacked.h"
#include "fmd/protocol/parse.h"

namespace fmd {

struct PluginCall {      // a `command` of the protocol
  std::string target;    // what its plugin is found by (routing.h): the resource, or "outbox:mail"
  std::string name;      // "retire", "deliver", …
  std::string resource;  // FMRI, or "outbox:mail"
  std::string key;       // idempotency key
  std::string args;      // JSON object
  int64_t deadline_ms = 60000;
  bool late_too = false;  // late answers are also passed on
};

class PluginIntake {
 public:
  virtual ~PluginIntake() = default;
  // Each request is answered once it is committed: welcome(peer, …) or answer(peer, request, …).
  virtual void plugin_hello(PeerId peer, uint64_t request, const std::string& name) = 0;
  virtual void plugin_events(PeerId peer, uint64_t request, const std::string& name,
                             protocol::EventsMessage message) = 0;
  virtual void plugin_inventory(PeerId peer, uint64_t request, InventoryUpdate update) = 0;
  virtual void plugin_readings(const std::string& name, protocol::ReadingsMessage message) = 0;
  // Something about the socket itself that is an event: ereport.fmd.plugin.…,
  // sysevent.fmd.plugin.back.
  virtual void plugin_finding(const PluginFinding& finding) = 0;
  // Its record has changed in what people see: connected, state, watch.
  virtual void plugin_changed(const std::string& name) = 0;
  // A plugin that takes commands has connected or disconnected.
  virtual void handlers_changed() = 0;
};

class PluginHub : private Connection::Owner {
 public:
  static constexpr size_t kMaxConnections = 128;
  static constexpr size_t kMaxOfOthers = 64;  // than root and fmd's own user, and of one of them
  static constexpr size_t kMaxOfUser = 16;    // of one of root's plugins, too
  static constexpr size_t kMaxUnacked = 16;   // requests; further ones stay in the socket
  static constexpr int64_t kHelloNs = 10LL * 1000000000;
  static constexpr int64_t kDoorNs = 1000000000;  // no connection is accepted after one failed

  // own_uid: fmd's own.
  PluginHub(sd_event* loop, Clock clock, PluginIntake& intake, uid_t own_uid);
  ~PluginHub() override;

  // path: created with mode 0660, group plugin_group where that exists; a stale socket file is
  // replaced.
  Result<void> listen(const std::string& path, const std::string& plugin_group);
  // Closes connections whose name is not among these.
  void set_grants(PluginGrants grants);
  const PluginGrants& grants() const { return grants_; }  // with the users' numbers
  // Checks for incoming events; the objects it refers to outlive the hub.
  void set_event_interest(const protocol::EventInterest& interest) { interest_ = interest; }
  // A peer already connected, known to be allowed (tests).
  void add_peer(int fd, const Peer& peer);
  void stop();  // no more connections; plugins that leave from now on are no fault

  struct Welcome {
    std::string cursor;  // on disk
    std::string kept;    // in memory only; "" nothing
    bool boot = false;
  };
  void welcome(PeerId peer, uint64_t request, const Welcome& what);
  // False: that connection is gone.
  bool answer(PeerId peer, uint64_t request, const nlohmann::json& result);
  // Input of that plugin from a closed connection is on disk, up to that cursor.
  void written(const std::string& name, const std::string& cursor);
  void refuse(PeerId peer, uint64_t request, int code, std::string_view why);
  // The peer's request is committed: it may send another.
  void acked(PeerId peer, uint64_t request);
  // That inventory is part of what is known, and costs nothing more: while the disk takes nothing, more of it may come.
  void taken_in(PeerId peer, uint64_t request);

  // By which a command about a part is routed; outlives the hub. Without it, prefixes alone decide.
  void route_by(const Inventory& inventory) { inventory_ = &inventory; }
  bool handles(std::string_view target) const { return route(target, "").plugin != nullptr; }
  // Whether who handles it named that among its commands.
  bool offers(std::string_view target, std::string_view command) const;
  // done is called once from the loop, never from within call(): the answer, or "failed" with the
  // reason. With late_too perhaps again, with the answer that came after it had failed.
  void call(const PluginCall& call, std::function<void(PluginAnswer)> done);

  // What a plugin did that the protocol does not allow; each name's at most once in 10 s.
  void report(const std::string& name, const std::string& reason);
  void set_flow(Flow flow);  // back-pressure
  void give_room_back();     // that messages were read with
  void check_now();  // deadlines and silence; the hub's own timer does this when something is due
  std::vector<std::string> units_to_ask() { return table_.to_ask(clock_.boot_ns()); }
  PluginTable& table() { return table_; }
  const PluginTable& table() const { return table_; }

 private:
  struct Session;

  static int on_accept(sd_event_source*, int fd, uint32_t, void* self);
  static int on_timer(sd_event_source*, uint64_t, void* self);
  static int on_late(sd_event_source*, uint64_t, void* self);
  void line(Connection& connection, std::string_view text) override;
  void closed(Connection& connection, const std::string& reason, bool violation) override;

  void request(Session& from, const RpcMessage& message);
  void notification(Session& from, const RpcMessage& message);
  void hello(Session& from, const RpcMessage& message);
  void events(Session& from, const RpcMessage& message);
  void answered(Session& from, const RpcMessage& message);
  void keep(Session& of);
  void hold_or_go_on(Session& one);
  std::string no_place_for(const Peer& peer) const;  // the reason, "" when there is one
  void arm_timer();
  void close_door(const std::string& why);
  void open_door();
  Route route(std::string_view target, std::string_view command) const;
  Session* session(PeerId peer);

  sd_event* loop_;
  Clock clock_;
  PluginIntake& intake_;
  PluginTable table_;
  std::string path_;
  int listen_fd_ = -1;
  std::optional<gid_t> plugin_gid_;
  const uid_t own_uid_;
  PluginGrants grants_;
  const Inventory* inventory_ = nullptr;
  protocol::EventInterest interest_;
  sd_event_source *listener_ = nullptr, *timer_ = nullptr;
  // Forces an overdue check, so that a peer that never stops sending cannot delay it for longer.
  sd_event_source* late_timer_ = nullptr;
  bool input_read_ = false;  // since the late timer first fired
  std::map<PeerId, std::unique_ptr<Session>> sessions_;
  PluginCalls calls_;
  Unacked unacked_;
  struct Reported {
    bool told = false;
    int64_t boot_ns = 0;
    uint64_t untold = 0;  // since then
  };
  std::map<std::string, Reported> reported_;  // protocol reports by name
  PeerId next_peer_ = 1;
  int64_t armed_for_ns_ = INT64_MAX;  // CLOCK_BOOTTIME
  int64_t door_opens_ns_ = 0;         // the same; 0: connections are accepted
  bool door_fails_ = false;           // the last one could not be
  Flow flow_ = Flow::acked;
  bool stopping_ = false;
};

}  // namespace fmd
