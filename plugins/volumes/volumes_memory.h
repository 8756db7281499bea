// VolumesMemory: state of fmd-volumes that must survive restarts and that no scan can find: the
// members that held each slot, the number of paths of a map, fmd's own commands and their replies.
// A small JSON file in the state folder; without a folder it exists only in memory. Single thread.
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
  struct Answer {  // to a command; status "": running
    std::string key, status, reason;
    nlohmann::json detail;
  };

  explicit VolumesMemory(std::string file) : document_(std::move(file)) {}
  MdMemory md;
  MostPaths paths;
  KnownMaps maps;
  LastDisks btrfs_disks;
  KnownFileSystems btrfs_known;

  // A missing file is an empty memory; a damaged file is an error and also leaves it empty.
  Result<void> load();
  void save();  // if changed; failures are logged
  const Answer* answer_to(const std::string& key) const;
  void begin(const std::string& key);
  void answered(const std::string& key, const sdk::CommandReply& reply);

 private:
  sdk::StateDocument document_;
  std::deque<Answer> answers_;  // the most recent ones
};

}  // namespace fmd::volumes
