// PluginTable: the known plugins, and their supervision. Silent: three missed heartbeats. Dead:
// absent for 30 s, also if known from before a restart of the daemon; not while the machine is
// starting and the plugin is still expected, and not if an administrator has stopped or disabled
// its unit (as systemd reports). Back: connected again. Pure: CLOCK_BOOTTIME passed in.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/hub/connection.h"
#include "fmd/model/event.h"
#include "fmd/model/unit_state.h"

namespace fmd {

struct PluginHello {
  std::string name, version;
  std::vector<std::string> observes, commands, handles;
  int64_t heartbeat_ms = 10000;
  bool transient = false;
  bool kept = false;  // it knows that word
};

struct PluginRecord {
  PluginHello hello;
  std::string state = "ok";  // its own word: "ok", "not-observed", "degraded"
  std::string reason;
  enum class Watch { fine, silent, dead, put_away } watch = Watch::fine;
  UnitState unit = UnitState::unknown;  // as told last
  bool has_unit = false;                // systemd has known its unit
  std::optional<uint32_t> restarts;     // by systemd, as counted last; nothing: not yet
  bool came_since = false;              // it has connected since they were counted
  int64_t asked_boot_ns = 0;            // when systemd was asked; 0: not since it came or went
  PeerId peer = 0;                      // 0: not connected
  Peer process;
  int64_t last_seen_boot_ns = 0;  // any whole message
  int64_t last_seen_ns = 0;       // the same, wall time
  int64_t gone_boot_ns = 0;       // since when it is away
  uint64_t events_received = 0, events_rejected = 0, commands_sent = 0, commands_failed = 0;
  uint64_t batches_unacked = 0;
  bool held = false;  // it is not read for now: more than is taken unacked

  bool connected() const { return peer != 0; }
  bool expected_back() const {
    return !connected() && watch != Watch::dead && watch != Watch::put_away;
  }
  std::string shown_state() const;  // what the watch found goes before its own word
  std::string shown_reason() const;
};

// Something the watch found: ereport.fmd.plugin.silent, ….dead, ….restarted,
// sysevent.fmd.plugin.back, ….stopped.
struct PluginFinding {
  std::string event_class, name, reason;
};

class PluginTable {
 public:
  static constexpr int kMissedBeats = 3;
  static constexpr int64_t kGraceNs = 30LL * 1000000000;
  static constexpr int64_t kBootNs = 300LL * 1000000000;
  static constexpr int64_t kAskAwayNs = 8LL * 1000000000;  // so that two answers come in time
  static constexpr int64_t kAskSeldomNs = 15LL * 1000000000;

  // Known from before a restart, with the state it was shown with then: what is reported already
  // ("silent", "dead") has a case that is closed when it is back. boot_ns is counted from the
  // machine's start: a machine that starts slowly may not have come to the plugins yet when it has
  // come to fmd, so in its first 5 minutes none is dead.
  void expect(const std::string& name, const std::string& version, std::string_view state,
              const std::string& reason, bool has_unit, int64_t boot_ns);
  // What it last said of itself holds until it says otherwise: a start is no recovery.
  std::optional<PluginFinding> connected(PluginHello hello, PeerId peer, const Peer& process,
                                         int64_t boot_ns, int64_t wall_ns);
  std::optional<PluginFinding> seen(std::string_view name, int64_t boot_ns, int64_t wall_ns);
  void disconnected(std::string_view name, int64_t boot_ns);
  // Whose units systemd is to be asked for now; they count as asked.
  std::vector<std::string> to_ask(int64_t boot_ns);
  struct Told {
    std::optional<PluginFinding> finding;
    bool changed = false;  // in what people see
    bool removed = false;  // its unit is gone, and so is it: forgotten
  };
  Told told(std::string_view name, UnitState unit, int64_t boot_ns);
  // restarts: systemd's count of automatic restarts, which a start by an administrator, an upgrade
  // and a boot reset. A higher count than at its last hello means that it has crashed since. check()
  // finds a plugin that does not even connect.
  std::optional<PluginFinding> restarted(std::string_view name, uint32_t restarts);
  // An administrator says that it is gone for good. False: it is connected, or not known.
  bool forget(std::string_view name);
  // What is silent or dead by now. suspended: the daemon does not read its sources (back-pressure),
  // so silence proves nothing; the count starts again afterwards.
  std::vector<PluginFinding> check(int64_t boot_ns, bool suspended);
  std::optional<int64_t> next_check_ns() const;

  PluginRecord* find(std::string_view name);
  const PluginRecord* find(std::string_view name) const;
  const std::map<std::string, PluginRecord, std::less<>>& all() const { return records_; }

 private:
  static int64_t silent_at(const PluginRecord& record);
  std::map<std::string, PluginRecord, std::less<>> records_;
};

}  // namespace fmd
