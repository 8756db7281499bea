// MdNews: changes of md arrays between two scans, as events for the log. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "plugins/sdk/plugin.h"
#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

// Also records how a rebuild or a check ended (MdMemory::last_sync).
std::vector<sdk::OutEvent> md_news(const MdScan& before, const MdScan& now, MdMemory& memory,
                                   int64_t now_ns);

}  // namespace fmd::volumes
