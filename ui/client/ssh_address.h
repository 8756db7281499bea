// SshAddress: another host's system bus as a D-Bus address: ssh(1) runs systemd-stdio-bridge(1) there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fmd::ui {

// host: "[user@]host[:port][/container]", as sd_bus_open_system_remote(3) has it. Beyond that one it notices within a minute
// that the other end has lost its power, which TCP alone does not tell.
std::string ssh_address(std::string_view host);
// The same as the words of a command line: "ssh", …
std::vector<std::string> ssh_words(std::string_view host);

}  // namespace fmd::ui
