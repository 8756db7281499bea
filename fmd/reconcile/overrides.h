// Overrides: what has precedence over a case's wish for a part: a person's order to keep it in
// service (rows "kept"), and what was refused to a case until a person decides otherwise (rows
// "refusal"). Also, in memory only, how often another program has put a part back, so that fmd does
// not fight it. Pure.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/reconcile/part_plan.h"

namespace fmd {

class Overrides {
 public:
  // How often, within which time, someone else may restore a part that a case wants out of service.
  static constexpr size_t kMostUndone = 2;
  static constexpr int64_t kUndoneWithinNs = 600LL * 1000000000;

  void keep(const std::string& part, std::string_view who);
  void refuse(const std::string& part, Refusal refusal);
  // Someone else has restored it. True: often enough to leave it so.
  bool undone(const std::string& part, Moment now);
  void allow(const std::string& part);  // a person says otherwise, or no open case is about it

  const std::string* kept_by(std::string_view part) const;
  const Refusal* refusal(std::string_view part) const;
  const std::map<std::string, std::string, std::less<>>& kept() const { return kept_; }
  std::set<std::string> parts() const;

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);

 private:
  std::map<std::string, std::string, std::less<>> kept_;
  std::map<std::string, Refusal, std::less<>> refusals_;
  std::map<std::string, std::deque<int64_t>, std::less<>> undone_;
  std::set<std::string> dirty_kept_, dirty_refusals_;
};

}  // namespace fmd
