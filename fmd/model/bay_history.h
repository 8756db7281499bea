// BayHistory: which disk was in which bay, from when to when, derived from changes of the inventory
// (`contains` edges bay → disk). Stored as rows of state, in the same transaction as the inventory.
// A change while fmd or the plugin was down, or the first view of a bay, is known only by the time
// at which it was noticed, and is marked so. Pure: time is passed in. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/base/text_hash.h"
#include "fmd/model/inventory.h"

namespace fmd {

struct Tenancy {
  std::string bay, label;           // FMRI; as printed on the machine
  std::string disk, serial, model;  // FMRI; "" not known
  // Times in ns since the epoch. to_ns 0: still there.
  int64_t from_ns = 0, to_ns = 0;
  // False: it happened earlier, at an unobserved time. _after: it had not happened yet at that
  // time; 0: unknown.
  bool from_exact = false, to_exact = false;
  int64_t from_after_ns = 0, to_after_ns = 0;
};

class BayHistory {
 public:
  static constexpr size_t kMostPerBay = 200;  // ended ones; a flapping link fills no disk

  BayHistory() = default;
  BayHistory(BayHistory&&) = default;
  BayHistory& operator=(BayHistory&&) = default;

  // After the inventory took in that update.
  void observe(const Inventory& inventory, const InventoryUpdate& update,
               const std::vector<InventoryChange>& changes, int64_t now_ns);
  // The plugin starts again: it may have missed something.
  void unwatched(std::string_view source);
  // Deletes the stays that ended before that time.
  void forget(int64_t before_ns);

  // By bay FMRI, in the order they began.
  const std::map<std::string, std::vector<Tenancy>, std::less<>>& bays() const { return bays_; }

  // Its latest stay, which may go on; nullptr: none is known.
  const Tenancy* last_of(std::string_view disk) const;
  const Tenancy* last_in(std::string_view bay) const;

  std::vector<StateRow> take_changes();
  std::vector<StateRow> all_rows() const;
  // Rows of other kinds are passed over; the error names one that cannot be read.
  Result<void> restore(const std::vector<StateRow>& rows);

 private:
  void check(const Inventory& inventory, const std::string& bay, int64_t now_ns);
  void changed(const Tenancy& tenancy);
  bool watched(std::string_view bay) const;

  std::map<std::string, std::vector<Tenancy>, std::less<>> bays_;
  // Where a disk is; bays by their names in bays_.
  struct Whereabouts {
    const std::string* last = nullptr;    // where it was seen last; nullptr: that is forgotten
    std::vector<const std::string*> now;  // it is in these
  };
  std::unordered_map<std::string, Whereabouts, TextHash, std::equal_to<>> disks_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
      heard_;                                 // source → bays reported since its hello
  int64_t last_watched_ns_ = 0;               // by the run before
  int64_t watched_told_ns_ = 0;               // the row of this run
  std::map<std::string, std::string> dirty_;  // key → doc, "" gone
};

}  // namespace fmd
