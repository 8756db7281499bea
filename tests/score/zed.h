// ZED's own rules on the same events. OpenZFS 2.3 retires a disk and brings in a spare after 10
// checksum or I/O errors within 10 min or a failed probe, brings in a spare for a removed disk, and
// ignores the other disks (cmd/zed/agents/zfs_diagnosis.c and zfs_retire.c). With peers, OpenZFS
// 2.4: the number of errors is no fault while another disk of the group also has errors.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "play.h"

namespace fmd::score {

class Zed {
 public:
  using GroupOf = std::map<std::string, int>;  // vdev → its group
  explicit Zed(GroupOf peers = {}) : peers_(std::move(peers)) {}
  void hear(const Event& event, int64_t at, int spares);
  // Called for each vdev that it accuses. checksums: it is degraded, not faulted.
  std::function<void(const std::string& vdev, bool checksums, bool retire, bool spare)> act = {};
  Outcome outcome() const { return out_; }

 private:
  void accuse(const std::string& vdev, const char* fault, int64_t at, int spares, bool retire);
  bool has_peers(const std::string& name, const std::string& vdev, int64_t at) const;

  GroupOf peers_;
  std::map<std::pair<std::string, std::string>, std::vector<int64_t>> counted_;  // class, vdev
  std::map<std::string, int64_t> accused_;
  int spared_ = 0;
  Outcome out_;
};

}  // namespace fmd::score
