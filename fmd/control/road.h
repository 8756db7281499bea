// Road: what the control layer needs from the process: committing its changes, and the settings of
// the process. Implemented by Daemon. Single thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/control/shown.h"
#include "fmd/model/inventory.h"

namespace fmd {

class Road {
 public:
  virtual ~Road() = default;
  virtual Moment now() const = 0;
  // Applies everything that plugins have sent to the engine. Error: nothing can be changed now,
  // because nothing can be written.
  virtual Result<void> take_in() = 0;
  virtual void submit(InventoryUpdate update) = 0;  // by fmd itself; applied with the next commit
  // Commits the changes in engine and reconciler and carries out their consequences; waits half a
  // second for the disk. Error: in force, but not on disk yet.
  virtual Result<void> commit() = 0;

  virtual bool dry_run() const = 0;
  virtual void wish_dry_run(bool on, std::string_view who) = 0;  // written with the next commit
  virtual std::vector<std::string> reload() = 0;                 // returns the errors
  virtual Shown shown() const = 0;
};

}  // namespace fmd
