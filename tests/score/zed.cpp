#include "zed.h"

#include <algorithm>
#include <string_view>

namespace fmd::score {
namespace {

constexpr size_t kErrors = 10;
constexpr int64_t kWithin = 10 * kMin;

}  // namespace

void Zed::hear(const Event& event, int64_t at, int spares) {
  const std::string& name = event.event_class.str();
  if (name == "ereport.fs.zfs.io" || name == "ereport.fs.zfs.checksum") {
    auto& times = counted_[{name, event.resource.str()}];
    times.push_back(at);
    std::erase_if(times, [&](int64_t time) { return time <= at - kWithin; });
    if (times.size() <= kErrors) return;
    if (has_peers(name, event.resource, at))
      times.clear();
    else
      accuse(event.resource, name.c_str() + 8, at, spares, true);
  } else if (name == "ereport.fs.zfs.probe_failure" || name == "resource.fs.zfs.removed") {
    accuse(event.resource, name.c_str(), at, spares, name == "ereport.fs.zfs.probe_failure");
  }
}

bool Zed::has_peers(const std::string& name, const std::string& vdev, int64_t at) const {
  const auto own = peers_.find(vdev);
  if (own == peers_.end()) return false;
  return std::any_of(counted_.begin(), counted_.end(), [&](const auto& counted) {
    const auto& [key, times] = counted;
    const auto peer = peers_.find(key.second);
    return key.first == name && key.second != vdev && peer != peers_.end() &&
           peer->second == own->second && !times.empty() && times.back() > at - kWithin;
  });
}

void Zed::accuse(const std::string& vdev, const char* fault, int64_t at, int spares, bool retire) {
  if (!accused_.emplace(vdev, at).second) return;
  const std::string uuid = std::to_string(accused_.size());
  out_.told.push_back({at, "diagnosed", uuid});
  out_.blamed.push_back({at, uuid, fault, "Major", {vdev}, 100, true});
  if (retire) out_.retired.push_back({at, vdev});
  const bool spare = spared_ < spares;
  if (spare) {
    ++spared_;
    out_.spared.push_back({at, vdev});
  }
  if (act) act(vdev, std::string_view(fault) == "fs.zfs.checksum", retire, spare);
}

}  // namespace fmd::score
