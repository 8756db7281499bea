#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "fmd/base/machine_id.h"

#include "fmd/daemon/host_identity.h"

namespace fmd {
namespace {

// Serial numbers are readable for root only: unknown to a daemon that is not.
std::string dmi(const char* name) {
  std::ifstream in(std::string("/sys/class/dmi/id/") + name);
  std::string line;
  std::getline(in, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

HostIdentity read_host_identity() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return {name, dmi("product_name"), dmi("chassis_serial"), dmi("product_serial")};
}

std::string read_machine_name() {
  std::ifstream in("/etc/machine-id");
  return machine_name(std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace fmd
