// Views: what the engine gives its callers beside cases and rows: news, SERD counts and holds; and the judgements of
// administrators that it takes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fmd/model/case.h"

namespace fmd {

// Cases by when they were opened (wall, ns), those of one moment by uuid.
using CaseAge = std::pair<int64_t, std::string_view>;
struct ByAge {
  using is_transparent = void;
  static CaseAge of(const Case* c) { return {std::max<int64_t>(0, c->opened_ns), c->uuid}; }
  static CaseAge of(const CaseAge& age) { return age; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return of(a) < of(b);
  }
};
using CasesByAge = std::set<const Case*, ByAge>;

// Something people are told: one per case event and change, coalesced to the furthest state that
// one call reached (a case both repaired and resolved in one step gives one "resolved").
struct CaseNews {
  std::string event;  // "diagnosed", "updated", "repaired", "resolved"
  std::string uuid;
  int64_t time_ns = 0;
};

// An administrator's word on a part.
enum class Judgement { repaired, replaced, acquitted };

struct SerdView {  // for fmstat -s
  std::string rule, resource;
  uint64_t count = 0, n = 0;
  int64_t within_ns = 0, oldest_ns = 0, newest_ns = 0;
  bool fired = false;
};

struct HoldView {                    // a finding that waits for its verdict
  std::string rule, resource, uuid;  // uuid: of the UNSOLVED case
  int64_t deadline_ns = 0;           // steady; 0: it waits for another case's end
};

struct HeldFinding {
  Suspect suspect;          // named by the case unless the finding is dropped
  int64_t deadline_ns = 0;  // steady; 0: it waits for another case's end
};

}  // namespace fmd
