// EvidenceStart: from which time on the events of a source are evidence. After the loss of a damaged database, sources read
// their devices' history from the beginning: ZFS's event ring, a log. Those events may have been judged, repaired or
// acquitted already, so they are kept in the journal and accuse nothing. Pure.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "fmd/model/event.h"

namespace fmd {

class EvidenceStart {
 public:
  // from_ns: event time; 0 all of that source's events are evidence.
  void set(const std::string& source, int64_t from_ns) {
    from_[source] = from_ns;
    latest_ns_ = std::max(latest_ns_, from_ns);
  }
  // For sources without set().
  void set_others(int64_t from_ns) {
    others_ = from_ns;
    latest_ns_ = std::max(latest_ns_, from_ns);
  }
  // While the clock itself is before that time (1970, until it is set), event times tell nothing.
  bool is_history(const Event& event) const {
    if (event.time_ns >= latest_ns_) return false;
    const auto own = from_.find(event.source);
    const int64_t from_ns = own == from_.end() ? others_ : own->second;
    return event.time_ns < from_ns && event.received_ns >= from_ns;
  }

 private:
  std::map<std::string, int64_t, std::less<>> from_;
  int64_t others_ = 0, latest_ns_ = 0;
};

}  // namespace fmd
