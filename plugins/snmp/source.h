// Source: reads fmd's state over D-Bus: all of it at first, then what its signals report as
// changed. Synchronous: for use in its own thread.
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/snmp/knowledge.h"
#include "ui/client/client.h"

namespace fmd::snmp {

class Source {
 public:
  explicit Source(std::string bus) : bus_(std::move(bus)) {}

  // Connects and subscribes; the first refresh() reads everything.
  Result<void> connect();
  bool is_open() const { return client_ != nullptr; }
  void close() { client_.reset(); }
  int descriptor() const { return client_ ? client_->descriptor() : -1; }

  // Processes signals for that time, or until the first one. An error: fmd or the bus is gone.
  Result<void> listen(uint64_t milliseconds);
  bool changed() const { return everything_ || !parts_.empty() || !cases_.empty(); }
  // Reads the changes, and always the plugins' states.
  Result<void> refresh();

  // The state at the last successful refresh().
  Knowledge knowledge(bool fresh) const;

 private:
  Result<void> read_all();
  Result<void> read_parts();
  Result<void> read_cases();
  Result<void> read_case_list();
  Result<void> read_plugins();
  void take(const nlohmann::json& list);

  std::string bus_;
  std::unique_ptr<ui::Client> client_;
  bool everything_ = true;
  std::set<std::string> parts_, cases_;  // changed FMRIs and uuids
  std::map<std::string, Resource> resources_;
  ui::AdviceByCase advice_;
  std::map<std::string, Case, std::less<>> open_cases_;
  std::vector<PluginState> plugins_;
  std::string version_, host_;
  int64_t wall_ns_ = 0, steady_ns_ = 0;
};

}  // namespace fmd::snmp
