// Past: what the machine was made of at an earlier time. Nobody keeps old inventories: it is today's, taken back by what is
// remembered, which disk sat in which bay (fmd/model/bay_history.h) and what the cases of that time say about the parts they
// suspect and the values they met. What is not remembered (a device name) stays as it is today; of a part that has failed since,
// what tells that it has failed is left out. Pure, single thread.
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

// What was new at a time: parts as they were from then on, and those that were there no more.
struct PastChange {
  int64_t at_ns = 0;
  std::vector<Resource> parts;
  std::vector<std::string> gone;  // FMRIs
};

class Past {
 public:
  Past(Inventory today, std::vector<ui::Stay> stays, std::vector<Case> cases);

  std::vector<Resource> at(int64_t time_ns) const;  // by FMRI
  // After the first and not after the second time, in order.
  std::vector<PastChange> changes(int64_t after_ns, int64_t until_ns) const;

 private:
  struct Seen {  // a value that a case tells of
    int64_t since_ns = 0, until_ns = 0;
    std::string value, before;  // before: "" unknown
  };
  using Properties = std::map<std::string, std::vector<Seen>, std::less<>>;

  void remember(const Case& c);
  void remember(const Suspect& suspect, const Case& c);
  // The part as it is to be told of; nullptr: today's inventory has it.
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
      by_disk_;                                               // in the order they began
  std::map<std::string, Resource, std::less<>> gone_;         // known to history and cases only
  std::map<std::string, std::string, std::less<>> whole_of_;  // vdev that has left → its parent
  std::map<std::string, int64_t, std::less<>> gone_until_;    // those that cases know: until then
  std::map<std::string, Properties, std::less<>> seen_;       // by part
  std::map<std::string, int64_t, std::less<>> failed_since_;  // of open cases: the earliest
};

}  // namespace fmd::cli
