// Surroundings: the context in which a case is shown: its host, and the present inventory. Pure,
// except for fetch().
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "fmd/model/scan_noun.h"

namespace fmd::ui {

class Client;

struct Surroundings {
  std::string host, platform, chassis_id, product_sn;  // cleaned; "-" if unknown
  Inventory inventory;

  void set_host(const nlohmann::json& config);             // GetConfig's document
  Result<void> add_resources(const nlohmann::json& list);  // ListResources' document
  // Fetches these parts and those around them (inventory_around.h), or all parts if there are very
  // many or none are given.
  static Result<Surroundings> fetch(Client& client, const std::vector<std::string>& parts = {});
  // The same for parts of open cases: queried by the cases' filter, before the cases are known.
  static Result<Surroundings> fetch_of_open_cases(Client& client,
                                                  const std::set<std::string>& parts);
  // Sends the queries of these functions that do not depend on the parts ahead of time.
  static void fetch_ahead(Client& client, bool of_open_cases);

 private:
  Result<void> fetch_host(Client& client);
  Result<void> fetch_parts(Client& client, const std::vector<std::string>& parts);
};

Result<Inventory> fetch_inventory(Client& client);

// A pool's resilver or scrub.
struct Scan {
  std::string fmri;                // raw
  std::string pool, health, work;  // cleaned; work: "resilver", "scrub", "expand", "none"
  double percent = 0;              // 0..100
  uint64_t rate_bytes = 0;         // per second; 0 unknown
  int64_t seconds_left = -1;       // -1: no estimate
  int64_t started_ns = 0;
  std::string last;  // how the previous one ended, cleaned; "" unknown

  // "resilver", "rebuild", "raidz expansion".
  std::string work_words() const {
    return work == "expand" ? "raidz expansion" : std::string(scan_noun(fmri, work));
  }
  bool running() const { return !work.empty() && work != "none"; }
  std::string progress() const;  // "42.3 % done, 93.8 MiB/s, 00:03:10 left"
};
Scan scan_of(const Resource& pool);
// The present members of a pool, a group or a member, in the order of `zpool status`.
std::vector<const Resource*> members_of(const Inventory& inventory, const Resource& of);
// The pool of that vdev; nullptr if unknown.
const Resource* pool_of(const Inventory& inventory, std::string_view vdev);

// The disk below that vdev (or itself); the given FMRI if none is known.
std::string disk_of(const Inventory& inventory, std::string_view fmri);
// A vdev, disk or bay as people know it; "" for what is unknown.
struct PartNames {
  std::string place, serial;
  std::string name;  // else its FMRI
};
PartNames names_of(const Inventory& inventory, std::string_view fmri);
// "SLOT 04 (serial Z1Y0ABCD)"; the name or FMRI if no bay is known.
std::string part_words(const Inventory& inventory, std::string_view fmri);
// The value as a number; fallback if absent or a text.
double number_of(const Resource& resource, std::string_view property, double fallback);

}  // namespace fmd::ui
