// Channels: whether each channel delivers. A channel is failing if its messages are refused or not
// answered, until one is delivered and no refused one waits. Rules decide what follows
// (diagnosis-rules/fmd.toml, resource fmd://channel=NAME). A channel without a plugin is not judged
// here: that is a case about the plugin. Rows "channel". Pure; single thread. Wall times, for
// display.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/model/inventory.h"

namespace fmd {

class Channels {
 public:
  // others_wait: earlier refused messages still wait.
  void delivered(std::string_view channel, bool others_wait, Moment now);
  void refused(std::string_view channel, std::string_view reason, Moment now);
  // The channel is no longer used, and no message waits for it.
  void unused(std::string_view channel);
  std::set<std::string, std::less<>> failing() const;

  // fmd://channel=NAME of each channel that has changed since the last call.
  std::vector<Resource> take_changed();

  std::vector<StateRow> take_changes();
  std::vector<StateRow> all_rows() const;
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  struct Channel {
    bool failing = false;
    int64_t failing_since_ns = 0;
    std::string reason;  // of the last refusal
  };
  static StateRow row_of(const std::string& name, const Channel& channel);
  void works(const std::string& name, Channel& channel);
  void changed(const std::string& name);

  std::map<std::string, Channel, std::less<>> channels_;
  std::set<std::string> to_describe_, dirty_;
};

}  // namespace fmd
