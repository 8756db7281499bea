// HeatFigures: figures for comparing the parts of a chassis: all that any of them reports. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::tray {

struct HeatFigure {
  std::string name;                      // name of the reading; "value" for a sensor
  std::string unit;                      // as in readings
  std::map<std::string, double> values;  // by FMRI of the part, or of a disk's bay
};

// Known ones first, then by name.
std::vector<HeatFigure> heat_figures(const Inventory& inventory);

}  // namespace fmd::tray
