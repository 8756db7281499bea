// Watching: which plugins observe this host, and why the others do not. Without them, an empty list
// of problems means nothing. Pure.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fmd::ui {

struct Watcher {
  std::string name, state, reason;  // cleaned
  int64_t last_seen_ns = 0;

  // Ignores last_seen_ns.
  bool operator==(const Watcher& other) const {
    return name == other.name && state == other.state && reason == other.reason;
  }
};

struct Watching {
  std::vector<Watcher> watching, not_watching;
  bool dry_run = false;  // fmd announces actions and carries none out

  // Plugins that should observe but do not; excludes those not wanted or with nothing to observe.
  std::vector<const Watcher*> missing() const;
  bool operator==(const Watching&) const = default;
  bool blind() const { return watching.empty() || !missing().empty(); }
};

// From ListPlugins' and GetConfig's documents, without notifiers.
Watching watching_in(const nlohmann::json& plugins, const nlohmann::json& config);

}  // namespace fmd::ui
