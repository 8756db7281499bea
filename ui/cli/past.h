// Past: the machine's parts at an earlier time. Old inventories are not stored: this is the present
// one, corrected by the bay history (fmd/model/bay_history.h) and by what cases recorded about
// their suspects and the values they met. Other properties (a device name) keep their present
// value; those that show a later failure are removed. Pure, single thread.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "ui/client/documents.h"

namespace fmd::cli {

// Changes at a time: parts in their new state, and parts that were gone.
struct PastChange {
  int64_t at_ns = 0;
  std::vector<Resource> parts;
  std::vector<std::string> gone;  // FMRIs
};

class Past {
 public:
  Past(Inventory today, std::vector<ui::Stay> stays, std::vector<Case> cases);

  std::vector<Resource> at(int64_t time_ns) const;  // by FMRI
  // From after the first time up to and including the second, in order.
  std::vector<PastChange> changes(int64_t after_ns, int64_t until_ns) const;

 private:
  struct Seen {  // a value recorded in a case
    int64_t since_ns = 0, until_ns = 0;
    std::string value, before;  // before: "" if unknown
  };
  using Properties = std::map<std::string, std::vector<Seen>, std::less<>>;

  void remember(const Case& c);
  void remember(const Suspect& suspect, const Case& c);
  // The part for filling in; nullptr if the present inventory has it.
  Resource* gone_part(const std::string& fmri, const char* type, int64_t until_ns);
  std::string whole_of(const std::string& vdev, const Resource& gone) const;
  bool is_vdev_of_newcomers(const Resource& resource, int64_t time_ns) const;
  std::optional<Resource> part(const std::string& fmri, int64_t time_ns) const;
  bool settle_disk(Resource& disk, int64_t time_ns) const;
  void settle_bay(Resource& bay, int64_t time_ns) const;
  void settle_values(Resource& resource, int64_t time_ns) const;
  std::set<std::string> concerned(const std::string& fmri) const;

  Inventory today_;
  std::map<std::string, std::vector<ui::Stay>, std::less<>> by_bay_,
      by_disk_;                                               // in chronological order
  std::map<std::string, Resource, std::less<>> gone_;         // known only from history and cases
  std::map<std::string, std::string, std::less<>> whole_of_;  // vdev that has left → its parent
  std::map<std::string, int64_t, std::less<>> gone_until_;    // known from cases: until then
  std::map<std::string, Properties, std::less<>> seen_;       // by part
  std::map<std::string, int64_t, std::less<>> failed_since_;  // by open cases: the earliest time
};

}  // namespace fmd::cli
