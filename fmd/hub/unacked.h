// Unacked: the input from plugins that is not on disk yet, by connection and by plugin. After a
// disconnection it still counts for the plugin, since it is still in memory. Pure; single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fmd/hub/connection.h"

namespace fmd {

class Unacked {
 public:
  // Of one plugin, while the disk takes nothing: a part of what all may have, so that one that floods leaves room.
  static constexpr size_t kMostRequests = 8192, kMostEvents = 4000, kMostBytes = 16 << 20;

  // Nobody says that no id comes twice.
  void add(PeerId peer, uint64_t request, const std::string& name, size_t bytes, size_t events);
  void remove(PeerId peer, uint64_t request);
  // As many of that connection's as may be kept of its plugin, each told once.
  std::vector<uint64_t> keep(PeerId peer);

  size_t count(PeerId peer) const;              // requests
  size_t unkept(PeerId peer) const;             // of those
  bool is_full(const std::string& name) const;  // by what it sent though nobody had called it kept

 private:
  struct One {
    size_t bytes = 0, events = 0;
  };
  using Requests = std::multimap<uint64_t, One>;
  struct Of {
    std::string name;
    Requests kept, unkept;
  };
  struct Sum {
    size_t requests = 0, kept = 0, kept_events = 0, bytes = 0, kept_bytes = 0;
  };
  std::map<PeerId, Of> peers_;
  std::map<std::string, Sum> plugins_;
};

}  // namespace fmd
