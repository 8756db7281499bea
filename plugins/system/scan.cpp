#include "plugins/system/scan.h"

#include "fmd/model/fmri.h"
#include "plugins/hardware/smbios.h"
#include "plugins/hardware/system_id.h"
#include "plugins/system/cpu.h"
#include "plugins/system/hwmon.h"
#include "plugins/system/memory.h"
#include "plugins/system/nic.h"
#include "plugins/system/sas.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

// The machine itself, from DMI.
void add_system(const sdk::Host& host, Facts& facts) {
  const std::string id = hardware::system_id(host);
  facts.system = make_fmri("hc", {{"system", id}});
  json& system = facts.add(facts.system, "system");
  system["properties"]["id"] = id;
  const auto dmi = [&](const char* property, const char* file) {
    const std::string text = read_text(host, std::string("/sys/class/dmi/id/") + file);
    if (!hardware::is_nobodys_text(text)) set_text(system, property, text);
  };
  dmi("vendor", "sys_vendor");
  dmi("model", "product_name");
  dmi("serial", "product_serial");
  dmi("uuid", "product_uuid");
  dmi("part_number", "product_sku");
  dmi("board_vendor", "board_vendor");
  dmi("board", "board_name");
  dmi("board_serial", "board_serial");
  dmi("chassis_serial", "chassis_serial");
  dmi("bios_vendor", "bios_vendor");
  dmi("bios_version", "bios_version");
  dmi("bios_date", "bios_date");
  const std::string name = read_text(host, "/proc/sys/kernel/hostname");
  set_text(system, "name", name);
  facts.contain(make_fmri("hc", {{"chassis", id}}));  // described by fmd-enclosure
}

}  // namespace

Facts scan_machine(const sdk::Host& host, const NamePci& names, const Descriptions& descriptions) {
  Facts facts;
  add_system(host, facts);
  const auto table = host.read("/sys/firmware/dmi/tables/DMI");
  const hardware::Smbios smbios = table ? hardware::parse_smbios(*table) : hardware::Smbios();
  facts.problem = smbios.problem;
  add_cpus(host, smbios, facts);
  add_memory(host, smbios, descriptions, facts);
  add_pci(host, smbios, names, facts);
  add_sas(host, facts);
  add_disk_paths(host, facts);
  add_sensors(host, facts);
  add_nics(host, facts);
  add_printed(descriptions, facts);
  add_core_labels(facts);
  return facts;
}

}  // namespace fmd::machine
