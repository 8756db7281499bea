// What a part is and does, translated. Text from devices is cleaned; never markup. Pure.
#pragma once
#include <QString>
#include <string>

#include "fmd/model/inventory.h"
#include "fmd/scene/scene.h"
#include "ui/client/surroundings.h"

namespace fmd::tray {

// "Data is being copied to it (42 %)"
QString state_words(const scene::Part& part);
// In one line, for a tool tip: "SLOT 04: ST4000NM, serial Z1Y0, 4 TB HDD, in tank: faulty".
QString part_says(const scene::Part& part, const Inventory& inventory);
// For an LED's property ("on", "cannot-drive"), and for a disk's SMART state; "" if unknown.
QString light_words(const std::string& light);
QString smart_words(const Resource& disk);
// Whether it spans several disks and is listed with them: a ZFS pool, md array, btrfs, LVM volume.
bool is_storage(const Resource& resource);
// The pool's current work: "resilver", "scrub".
QString work_words(const ui::Scan& scan);
// "42.3 % done, 93.8 MiB/s, 3 min left"
QString progress_words(const ui::Scan& scan);

}  // namespace fmd::tray
