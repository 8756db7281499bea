// fmadm chassis: check (files, without the daemon), show (which description matches), draw (a
// picture of the present state), map (asks the user where each bay is and writes the description), submit (writes what fmd
// knows of a chassis, masked, to a file to send in).
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
  std::string chassis;            // FMRI, id or label; "": the only one
  std::string view;               // "": all
  bool svg = false, png = false;  // neither: by the file's name, else SVG
  bool dark = false, json = false;
  bool domains = false;  // outlined in the picture
  double scale = 4;      // PNG: pixels per millimetre
};
Result<void> chassis_draw(Client& client, const ChassisDrawOptions& options);

struct ChassisMapOptions {
  std::string output = "own-chassis.toml", chassis;
  std::string view;               // of all bays; "": asks for each bay
  std::vector<std::string> with;  // map the host, with these enclosures as its backplanes
};
// Interactive: needs a terminal. However it ends, it switches off all LEDs that it switched on.
Result<void> chassis_map(Client& client, const ChassisMapOptions& options);

struct ChassisSubmitOptions {
  std::string output = "chassis-submission.json", chassis;
};
// Needs root for the SES pages.
Result<void> chassis_submit(Client& client, const ChassisSubmitOptions& options);

}  // namespace fmd::cli
