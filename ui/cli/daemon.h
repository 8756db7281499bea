// Short names for the parts of ui/client that the command lines use.
#pragma once
#include "ui/client/client.h"
#include "ui/client/surroundings.h"

namespace fmd::cli {

using ui::Client;
using ui::disk_of;
using ui::fetch_inventory;
using ui::number_of;
using ui::part_words;
using ui::pool_of;
using ui::Scan;
using ui::scan_of;
using ui::Surroundings;
using ui::Target;

}  // namespace fmd::cli
