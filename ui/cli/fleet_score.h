// FleetScore: compares the disks of a fleet that the SMART rules would have reported with those
// that failed. Rows are fed day by day; the memory per disk does not depend on the number of days.
//
// Each disk is judged twice: as if fmd had been running since its first row, and as if fmd had been
// installed on its last day. Rows are a day apart, so holds (hours) are ignored.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmd/diagnosis/condition_bank.h"
#include "fmd/rules/rules.h"
#include "plugins/smart/attribute_table.h"
#include "ui/cli/drive_stats.h"

namespace fmd::cli {

class FleetScore {
 public:
  struct Row {
    std::string who;
    uint64_t failed = 0, others = 0;  // disks reported that failed, or did not
  };

  explicit FleetScore(std::shared_ptr<const RuleSet> rules);
  void take(const DriveDay& day);
  // The sums first, then a row for each rule that reported a disk.
  std::vector<Row> rows() const;
  uint64_t failed() const;
  uint64_t others() const { return disks_.size() - failed(); }
  uint64_t out_of_order() const { return out_of_order_; }  // rows skipped

 private:
  using Raw = decltype(DriveDay::raw);
  struct Disk {
    std::string model;
    double capacity = 0;
    smart::SectorUnit unit = smart::SectorUnit::unknown;
    int64_t last_ns = 0;
    bool failed = false;
    bool followed = false;         // the bank has its baselines; a disk without defects needs none
    Raw raw;                       // from its last row
    std::vector<uint32_t> firing;  // rules, by index in rules_
  };
  Resource resource_of(const std::string& serial, const Disk& disk) const;
  static void learn_unit(Disk& disk);
  // The rules that match the resource now.
  std::vector<uint32_t> look(ConditionBank& bank, const Resource& resource, int64_t now_ns) const;

  std::shared_ptr<const RuleSet> set_;
  std::vector<const Rule*> rules_;  // those that use the attributes of drive stats
  ConditionBank bank_;
  std::map<std::string, Disk, std::less<>> disks_;
  uint64_t out_of_order_ = 0;
};

}  // namespace fmd::cli
