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
  // Adds the entries for that machine from a file's text; entries of earlier files take precedence.
  void add(std::string_view text, const BoardName& machine);
  // place: numbers of the memory controller and its layers (channel and slot; row and channel). ""
  // if there is no entry.
  std::string at(const std::vector<unsigned>& place) const;

 private:
  std::map<std::vector<unsigned>, std::string> by_place_;
};

}  // namespace fmd::hardware
