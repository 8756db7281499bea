// FMRIs in sentences. Plugins name parts by their FMRIs, and people read the names that are printed
// on the machine. Pure.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "fmd/model/inventory.h"

namespace fmd {

// in_command: within a quoted command, such as 'fmadm retire …'. nullopt keeps the FMRI.
using FmriNamer =
    std::function<std::optional<std::string>(const std::string& fmri, bool in_command)>;
std::string replace_fmris(std::string text, const FmriNamer& name);

// Replaces the FMRIs of known parts by name_in_place(). Those in quoted commands stay: a command
// needs a name that is unique.
std::string with_places(const Inventory& inventory, std::string text);

}  // namespace fmd
