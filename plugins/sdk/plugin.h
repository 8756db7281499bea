// Plugin: the connection of one plugin to fmd. It connects (and reconnects with back-off), sends
// hello and heartbeats, sends events and keeps them until they are acknowledged, and runs commands
// once per idempotency key. It also notifies systemd (READY, WATCHDOG). Single thread, on one
// sd-event loop.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/sdk/host.h"

struct sd_event;

namespace fmd::sdk {

struct PluginInfo {
  std::string name;
  std::vector<std::string> observes, commands, handles;
};

struct OutEvent;        // messages.h
struct CommandRequest;  // messages.h
struct CommandReply;    // messages.h

class Plugin {
 public:
  using Reply = std::function<void(CommandReply)>;  // call once, now or later, from the loop

  // socket: path of plugins.sock (FMD_SOCKET, default /run/fmd/plugins.sock).
  Plugin(sd_event* loop, PluginInfo info, std::string socket);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // Called on each (re)connection: send a complete inventory, and read the source from the cursor.
  // It is the newest of what the core has committed and of the events kept here, which are resent.
  void on_connected(std::function<void(const std::string& cursor)> fn);
  void on_command(std::function<void(const CommandRequest&, Reply)> fn);

  // Kept until acknowledged, across reconnects. cursor: "" if the source has none. May be called
  // before the first connection.
  void send_events(std::vector<OutEvent> events, std::string cursor);
  // resources: JSON objects as in the protocol (fmri, type, properties, edges). Inventory and
  // readings are dropped while disconnected (on_connected asks for all of it again); the last
  // status is kept and sent on each connection. A complete inventory over one line (1 MiB, about
  // 1500 disks) is split, and the last part names all its resources.
  void send_inventory(nlohmann::json resources, nlohmann::json gone, bool complete);
  void send_readings(nlohmann::json readings);
  void send_status(std::string_view state, std::string_view reason);  // a repeat is not sent again
  bool connected() const;
  bool first_since_boot() const;  // the core's cursor is from before the machine's last boot
  size_t unacked_events() const;  // a source should stop reading above 8000

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // sole owner: pending answers hold weak pointers
};

// main() of every plugin: parses --socket, --config FILE, --version, --help; sets up the loop,
// SIGTERM and logging to stderr with the journal's <N> prefix; runs until stopped. make() builds
// the plugin on the loop and returns what must stay alive. If it fails, the error is printed and
// the plugin exits with 78 (bad configuration: no restart).
struct Context {
  sd_event* loop;
  Host& host;
  std::string socket,
      config_path;  // config_path: "" if none was given and the default is missing
};
int plugin_main(int argc, char** argv, std::string_view name, std::string_view about,
                const std::function<Result<std::shared_ptr<void>>(Context&)>& make);

void log(int priority, std::string_view text);  // LOG_ERR.., to stderr with "<3>" prefix

}  // namespace fmd::sdk
