// Whether ZED, OpenZFS's event daemon, runs on this host: it acts on vdevs as well. Reads its pid
// file, otherwise the processes of its systemd unit.
#pragma once
#include "plugins/sdk/host.h"

namespace fmd::zfs {

bool zed_runs(const sdk::Host& host);

}  // namespace fmd::zfs
