// The message about a case: subject and body for mail or other notifiers. Plain text, body lines of
// at most 78 columns; text from devices or people passes through display(). Pure. Times are ns
// since the epoch, shown in local time.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/advice/part_index.h"
#include "fmd/advice/say.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/notify/outbox.h"
#include "fmd/notify/telling.h"

namespace fmd {

struct MessageContext {
  std::string host;
  const Inventory& inventory;
  bool dry_run = false;
  std::string_view explain_url = {};  // Preferences::explain_url
  const PartIndex* index = nullptr;   // of the inventory; nullptr: built for this message only
  bool auto_replace = true;           // [action] in fmd.toml
  // Sentences about these FRUs: which of several disks to pull first. May be empty.
  std::function<std::vector<std::string>(const std::set<std::string>& frus)> pull_orders = {};
  std::vector<const Case*> open = {};  // the open cases: SayWorld::open

  SayWorld world(const PartIndex& of_inventory) const {
    SayWorld world{inventory, of_inventory, dry_run, auto_replace};
    world.open = open;
    return world;
  }
};

OutboxMessage compose_message(const Case& c, const Tidings& tidings, const MessageContext& context);

// For people, in two units: "2 days 3 h", "2 h 14 min", "3 min 5 s", "12 s".
std::string spoken_duration(int64_t ns);

}  // namespace fmd
