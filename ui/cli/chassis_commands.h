// fmadm chassis: check (files, no daemon), show (what is matched), draw (the picture as it is now),
// map (asks a person which bay is which and writes the description).
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

class Program;
void add_chassis(Program& program);

struct ChassisCheckOptions {
  std::vector<std::string> paths;  // empty: the installed ones
  bool json = false;
};
Result<void> chassis_check(const ChassisCheckOptions& options);

struct ChassisShowOptions {
  bool bays = false, json = false;
};
Result<void> chassis_show(Client& client, const ChassisShowOptions& options);

struct ChassisDrawOptions {
  std::string file;               // "" or "-": standard output
  std::string chassis;            // FMRI, id or label; "" the only one
  std::string view;               // "" all
  bool svg = false, png = false;  // neither: by the file's name, else SVG
  bool dark = false, json = false;
  bool domains = false;  // outlined
  double scale = 4;      // PNG: pixels a millimetre
};
Result<void> chassis_draw(Client& client, const ChassisDrawOptions& options);

struct ChassisMapOptions {
  std::string output = "own-chassis.toml", chassis;
  std::string view;               // of all bays; "" it is asked bay by bay
  std::vector<std::string> with;  // the host, with these enclosures as its backplanes
};
// Interactive: needs a terminal. Whatever way it ends, no light that it lit stays on.
Result<void> chassis_map(Client& client, const ChassisMapOptions& options);

}  // namespace fmd::cli
