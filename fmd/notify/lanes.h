// Lanes: for each channel and set of recipients, which cases were recently reported individually,
// and when the last digest was sent. Decides whether the next message is sent individually. Stored,
// so that a restart in a storm does not begin with individual messages again. Rows "lane". Pure;
// single thread. Times are steady.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/notify/digest.h"
#include "fmd/notify/preferences.h"

namespace fmd {

using Lane = std::pair<std::string, Recipients>;  // channel, recipients

class Lanes {
 public:
  // Whether a message about the case is sent individually; if so, counts it.
  bool goes_alone(const Lane& lane, const DigestItem& item, const DigestLimits& limits,
                  int64_t now_ns);
  void digest_closed(const Lane& lane, int64_t now_ns);
  std::optional<int64_t> last_digest_ns(const Lane& lane) const;

  std::vector<StateRow> take_changes();
  std::vector<StateRow> all_rows() const;
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  struct Traffic {
    std::map<std::string, int64_t> recent;  // case → last individual message
    std::optional<int64_t> last_digest_ns;
  };
  static StateRow row_of(const Lane& lane, const Traffic& traffic);

  std::map<Lane, Traffic> lanes_;
  std::set<Lane> dirty_;
};

}  // namespace fmd
