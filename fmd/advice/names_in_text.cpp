#include "fmd/advice/names_in_text.h"

#include "fmd/advice/part_names.h"

namespace fmd {

std::string name_for_command(const Inventory& inventory, const PartIndex& index,
                             const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r || (r->type != "zfs-vdev" && r->type != "md-member" && r->type != "disk"))
    return command_name(inventory, index, fmri);
  const Resource* disk = inventory.descend(fmri, Relation::redundancy, "dev");
  if (!disk) return command_name(inventory, index, fmri);
  if (r != disk && inventory.parents(disk->fmri, Relation::redundancy).size() > 1) return fmri;
  Suspect named;
  named.fru = disk->fmri;
  named.location = inventory.location(disk->fmri);
  named.serial = disk->get("serial");
  return command_name(inventory, index, named);
}

}  // namespace fmd
