// SshAddress: another host's system bus as a D-Bus address, by ssh(1) and systemd-stdio-bridge(1).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fmd::ui {

// host: "[user@]host[:port][/container]", as in sd_bus_open_system_remote(3). Unlike that function,
// it detects within a minute that the other end has lost power, which TCP alone does not.
std::string ssh_address(std::string_view host);
// The same as command line arguments: "ssh", …
std::vector<std::string> ssh_words(std::string_view host);

}  // namespace fmd::ui
