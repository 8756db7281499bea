// HeatFigures: the figures that the parts of a chassis can be compared by: all that are told of any of them. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::tray {

struct HeatFigure {
  std::string name;                      // of the reading; of a sensor "value"
  std::string unit;                      // as a reading has it
  std::map<std::string, double> values;  // by the part's FMRI; of a disk its bay's
};

// Known ones first, then by name.
std::vector<HeatFigure> heat_figures(const Inventory& inventory);

}  // namespace fmd::tray
