// Shared by the tests of the core: rules from a text, an engine with them, short forms for events
// and inventory.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmd/diagnosis/engine.h"
#include "fmd/rules/tests/rules_rig.h"

namespace fmd::test {

constexpr int64_t kSecond = 1000000000;
constexpr int64_t kMinute = 60 * kSecond, kDay = 1440 * kMinute;
constexpr int64_t kStart = 1795228661LL * kSecond;  // Nov 21 2026

class Rig {
 public:
  explicit Rig(const std::string& rules = kRules);

  Event event(const std::string& event_class, const std::string& resource, int64_t time_ns,
              const std::vector<std::pair<std::string, Value>>& members = {});
  // Sends it at that time, event time and arrival alike.
  void send(const std::string& event_class, const std::string& resource, int64_t time_ns,
            const std::vector<std::pair<std::string, Value>>& members = {});
  void take(Event event, Moment now);  // as the journal keeps it too
  void errors(int count, const std::string& resource, int64_t from_ns, int64_t step_ns = kSecond,
              const std::string& event_class = "ereport.t.error");

  // Properties replace the resource's earlier ones.
  using Properties = std::vector<std::pair<std::string, Value>>;
  std::vector<InventoryChange> put(const std::string& fmri, const std::string& type,
                                   const Properties& properties, const std::vector<Edge>& edges,
                                   Moment now, const std::string& source = {});
  std::vector<InventoryChange> gone(const std::string& fmri, const std::string& reason, Moment now,
                                    const std::string& replaced_by = {});
  // A pool with one vdev on a disk in a bay of an enclosure, numbered.
  void put_disk(int n, Moment now, const std::string& service = "in-service");

  const Case& only_case() const;  // fails the test when there is not exactly one
  std::string states() const;     // "SOLVED REPAIRED", by uuid
  std::string news();             // "diagnosed:1 updated:1", taken
  static std::string vdev(int n) { return "zfs://pool=1/vdev=" + std::to_string(n); }
  static std::string disk(int n) { return "dev://wwn=" + std::to_string(n); }
  static std::string bay(int n) { return "hc://chassis=c/bay=" + std::to_string(n); }

  EventSchema schema;
  std::shared_ptr<const RuleSet> rules;
  int cases = 0;
  uint64_t seq = 0;
  std::vector<std::pair<Event, Moment>> journal;
  std::unique_ptr<Engine> engine;
};

// A [[fault]] table; more: further lines.
std::string a_fault(const char* name, int number, const char* severity, const std::string& more);

// The rows as a store keeps them: (kind, key) → text.
using Rows = std::map<std::pair<std::string, std::string>, std::string>;
// Takes what has changed; without a checkpoint only what was decided.
void keep(Engine& engine, Rows& rows, bool checkpoint = true);
void restart(Rig& rig, const Rows& rows);  // another engine from the rows and the journal

}  // namespace fmd::test
