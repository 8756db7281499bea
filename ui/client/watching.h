// Watching: which of fmd's plugins watch this host, and which do not and why. Where they do not, an empty list of
// problems means nothing. Pure.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fmd::ui {

struct Watcher {
  std::string name, state, reason;  // cleaned
  int64_t last_seen_ns = 0;

  // Whether it watches, not when it was seen last.
  bool operator==(const Watcher& other) const {
    return name == other.name && state == other.state && reason == other.reason;
  }
};

struct Watching {
  std::vector<Watcher> watching, not_watching;

  // Those that should watch and do not: not one that has nothing to observe on this host, or is not wanted.
  std::vector<const Watcher*> missing() const;
  bool operator==(const Watching&) const = default;
  bool blind() const { return watching.empty() || !missing().empty(); }
};

// ListPlugins' and GetConfig's documents: a notifier watches nothing.
Watching watching_in(const nlohmann::json& plugins, const nlohmann::json& config);

}  // namespace fmd::ui
