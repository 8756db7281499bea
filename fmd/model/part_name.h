// Names of parts in timelines, logs and texts for people. Text from outside is passed through display(). Pure.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "fmd/model/inventory.h"

namespace fmd {

// Properties with names that people give or read on a part.
inline constexpr std::array<const char*, 3> kOwnNames = {"label", "name", "serial"};
// One of these is this name, in the same case.
bool has_name(const Resource& resource, std::string_view name);

// True if the name can stand between double quotes in a command that people copy.
bool is_plain_name(std::string_view name);

// A bay by its label: "SLOT 04", "bay 4".
std::string bay_words(std::string_view label);

// The part's own name: as printed on it, its label, its address; else its FMRI.
std::string name_of(const Resource& resource);
std::string name_of(const Inventory& inventory, std::string_view fmri);

// Disks, and vdevs and array members on a single disk: the bay of the disk, or "disk Z1Y0" (its serial number) if no bay is
// known. "" for other parts, and if neither is known.
std::string place_of_disk(const Inventory& inventory, const Resource& resource);

// place_of_disk(), or the part's own name.
std::string name_in_place(const Inventory& inventory, std::string_view fmri);

// The same with the serial number, for a disk that leaves or arrives: "SLOT 04 (serial Z1Y0)".
std::string name_with_serial(const Inventory& inventory, const Resource& resource);
std::string name_with_serial(const Inventory& inventory, std::string_view fmri);

}  // namespace fmd
