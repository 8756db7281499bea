// BoardLabels: the printed labels of this board's memory sockets, by EDAC's numbers, if the
// administrator or the distribution has configured them for rasdaemon: /etc/ras/dimm_labels.d/*,
// /etc/ras/dimm_labels.db. Source: ras-mc-ctl(8), "LABELS DATABASE". Pure except of().
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::hardware {

struct BoardName {
  std::string maker, product;      // of the whole machine (DMI sys_vendor, product_name)
  std::string board_maker, board;  // of its board
};

class BoardLabels {
 public:
  static BoardLabels of(const sdk::Host& host);
  // Adds what a file says of that machine; an entry of an earlier file stays.
  void add(std::string_view text, const BoardName& machine);
  // place: the memory controller's number and those of its layers (channel and slot; row and channel).
  // "" when nothing is written down.
  std::string at(const std::vector<unsigned>& place) const;

 private:
  std::map<std::vector<unsigned>, std::string> by_place_;
};

}  // namespace fmd::hardware
