// VolumesMemory: what fmd-volumes must know from one run to the next and what no look can tell: who
// held which slot of an array, how many paths a map had, what fmd's own commands did, and what they were answered. A small
// JSON file in the state folder; without a folder it lasts as long as the process. Single thread.
#pragma once
#include <deque>
#include <string>

#include "plugins/sdk/plugin.h"
#include "plugins/sdk/state_document.h"
#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/btrfs_known.h"
#include "plugins/volumes/dm_known.h"
#include "plugins/volumes/dm_model.h"
#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

class VolumesMemory {
 public:
  struct Answer {  // to a command; status "": it was begun
    std::string key, status, reason;
    nlohmann::json detail;
  };

  explicit VolumesMemory(std::string file) : document_(std::move(file)) {}
  MdMemory md;
  MostPaths paths;
  KnownMaps maps;
  LastDisks btrfs_disks;
  KnownFileSystems btrfs_known;

  // A missing file is an empty memory; a damaged one an error, and an empty memory too.
  Result<void> load();
  void save();  // when it has changed; trouble is logged
  const Answer* answer_to(const std::string& key) const;
  void begin(const std::string& key);
  void answered(const std::string& key, const sdk::CommandReply& reply);

 private:
  sdk::StateDocument document_;
  std::deque<Answer> answers_;  // the last ones
};

}  // namespace fmd::volumes
