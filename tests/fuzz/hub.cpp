// The whole plugin socket in fmd: the hub has one end of a socket pair, the other end sends a
// mutated conversation. Intake and answers are simulated.
#include <sys/socket.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "fmd/base/clock.h"
#include "fmd/base/json.h"
#include "fmd/hub/hub.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

using nlohmann::json;

// Accepts everything at once, and sends the plugin a command as soon as it is known.
class Taker final : public PluginIntake {
 public:
  PluginHub* hub = nullptr;

  void plugin_hello(PeerId peer, uint64_t request, const std::string& name) override {
    hub->welcome(peer, request, {"7", name == "zfs" ? "9" : "", false});
    for (const char* target : {"zfs://pool=1/vdev=2", "hc://chassis=1/bay=3", "outbox:mail"})
      if (hub->handles(target))
        hub->call({target, "retire", target, "key", R"({"to":"degraded"})"},
                  [this](const PluginAnswer&) { ++answered; });
    (void)hub->table().find(name);
  }
  void plugin_events(PeerId peer, uint64_t request, const std::string&,
                     protocol::EventsMessage message) override {
    // The disk fills and empties; unacknowledged events are kept.
    const size_t chance = message.events.size() + message.rejected.size() + request;
    hub->set_flow(static_cast<Flow>(chance % 3));
    if (chance % 5 == 0) return hub->written("zfs", "9");
    taken(peer, request, message.events.size());
  }
  void plugin_inventory(PeerId peer, uint64_t request, InventoryUpdate update) override {
    if (update.resources.size() % 2 == 0) return taken(peer, request, update.resources.size());
    hub->acked(peer, request);
    hub->refuse(peer, request, -32602, "it describes too much");
  }
  void plugin_readings(const std::string&, protocol::ReadingsMessage) override {}
  void plugin_finding(const PluginFinding&) override {}
  void plugin_changed(const std::string&) override {}
  void handlers_changed() override {}
  int answered = 0;

 private:
  void taken(PeerId peer, uint64_t request, size_t count) {
    hub->acked(peer, request);
    hub->answer(peer, request, {{"taken", count}});
  }
};

PluginGrants grants() {
  PluginGrants all;
  all["mail"].notifier = true;
  all["backup"].user = "1000";
  all["backup"].observes = {"ereport.backup.*"};
  all["backup"].describes = {"backup://"};
  all["zfs"].group = "981";
  all["zfs"].observes = {"ereport.fs.zfs.*"};
  all["zfs"].handles = all["zfs"].describes = {"zfs://"};
  return all;
}

// The hub's timer uses the machine's clock, its deadlines this one, which may only run ahead.
Clock later_by(const int64_t& ns) {
  const Clock real = system_clock();
  return {real.wall_ns, [real, &ns] { return real.boot_ns() + ns; }};
}

// Whatever it received, fmd sends only lines of JSON.
void read_answers(int fd, std::string& rest) {
  char bytes[65536];
  for (ssize_t n = 0; (n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
    rest.append(bytes, static_cast<size_t>(n));
  for (size_t end = 0; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
    if (!json::accept(rest.substr(0, end))) throw std::runtime_error("fmd answers what is no JSON");
}

void converse(std::string_view input) {
  sd_event* loop = nullptr;
  if (sd_event_new(&loop) < 0) throw std::runtime_error("no event loop");
  const std::unique_ptr<sd_event, sd_event* (*)(sd_event*)> owned(loop, sd_event_unref);
  int64_t later = 0;
  Taker taker;
  PluginHub hub(loop, later_by(later), taker, 990);
  taker.hub = &hub;
  hub.set_grants(grants());
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("no socket pair");
  // The input also selects the peer: root, a root process that may only be "zfs", or a user that
  // may only be "backup".
  const Peer peers[] = {{1, 1000, 1000, {}}, {1, 0, 0, {}}, {1, 0, 0, {981}}};
  hub.add_peer(ends[0], peers[input.size() % 3]);
  std::string answers;
  bool gone = false;
  for (size_t at = 0; at < input.size() && !gone;) {
    const ssize_t n = send(ends[1], input.data() + at, input.size() - at, MSG_NOSIGNAL);
    if (n > 0) at += static_cast<size_t>(n);
    gone = n < 0 && errno != EAGAIN;
    if (n < 0 && sd_event_run(loop, 0) == 0) break;  // flow control, and no progress
    read_answers(ends[1], answers);
  }
  shutdown(ends[1], SHUT_WR);
  while (sd_event_run(loop, 0) > 0) read_answers(ends[1], answers);
  later = 100'000'000'000;  // commands time out, and silence is noticed
  hub.check_now();
  while (sd_event_run(loop, 0) > 0) read_answers(ends[1], answers);
  hub.stop();
  close(ends[1]);
}

const std::vector<std::string> kConversations = {
    R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"zfs","version":"1","protocol":1,"observes":["ereport.*"],"commands":["retire"],"handles":["zfs://"],"heartbeat_ms":10000,"transient":false}}
{"jsonrpc":"2.0","id":2,"method":"inventory","params":{"complete":true,"resources":[{"fmri":"zfs://pool=1/vdev=2","type":"zfs-vdev","properties":{"service":"in-service","n":3},"edges":[{"relation":"redundancy","to":"dev://wwn=1"}]}],"gone":[{"fmri":"dev://wwn=2","reason":"removed"}]}}
{"jsonrpc":"2.0","id":3,"method":"events","params":{"cursor":"8","events":[{"class":"ereport.x","resource":"dev://wwn=1","time":5,"ena":0,"payload":{"a":1,"b":"c"}}]}}
{"jsonrpc":"2.0","id":1,"result":{"status":"done","reason":"","detail":{"already":true}}}
{"jsonrpc":"2.0","method":"readings","params":{"readings":[{"resource":"dev://wwn=1","name":"t","unit":"celsius","value":30.5,"time":5}]}}
{"jsonrpc":"2.0","method":"status","params":{"state":"degraded","reason":"no zpool"}
}
{"jsonrpc":"2.0","method":"heartbeat","params":{}}
)",
    R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"mail","version":"1","protocol":1,"observes":[],"commands":["deliver"],"handles":["outbox:mail"],"heartbeat_ms":10000,"transient":false}}
{"jsonrpc":"2.0","id":1,"result":{"status":"failed","reason":"no server","detail":{}}}
{"jsonrpc":"2.0","id":2,"method":"events","params":{"events":[{"class":"ereport.x","resource":"dev://wwn=1","time":5}]}}
)",
    R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"backup","version":"1","protocol":1,"observes":["ereport.backup.late"],"commands":[],"handles":[],"heartbeat_ms":10000,"transient":true}}
{"jsonrpc":"2.0","id":2,"method":"inventory","params":{"complete":false,"resources":[{"fmri":"backup://1","type":"backup","properties":{"a":true}}],"gone":[]}}
{"jsonrpc":"2.0","id":3,"method":"nothing","params":{}}
)"};

}  // namespace

Target hub_target() {
  return {"hub", "a plugin's conversation", kConversations, converse};
}

}  // namespace fmd::fuzz
