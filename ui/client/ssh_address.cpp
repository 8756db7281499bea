#include "ui/client/ssh_address.h"

#include <fmt/format.h>

#include <algorithm>

namespace fmd::ui {
namespace {

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("_-/.").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::vector<std::string> ssh_words(std::string_view host) {
  std::string_view container, port;
  if (const size_t slash = host.find('/'); slash != host.npos) {
    container = host.substr(slash + 1);
    host = host.substr(0, slash);
  }
  // An IPv6 address is in brackets, because of its colons.
  const size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool one = bracket != host.npos || host.find(':') == colon;
  if (colon != host.npos && one && (bracket == host.npos || colon > bracket)) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  std::string bare(host);
  std::erase_if(bare, [](char c) { return c == '[' || c == ']'; });
  std::vector<std::string> words{
      "ssh", "-xT", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"};
  if (!port.empty()) words.insert(words.end(), {"-p", std::string(port)});
  words.insert(words.end(), {"--", bare, "systemd-stdio-bridge"});
  if (!container.empty()) words.push_back("--machine=" + std::string(container));
  return words;
}

std::string ssh_address(std::string_view host) {
  const auto words = ssh_words(host);
  std::string address = "unixexec:path=ssh";
  for (size_t i = 1; i < words.size(); ++i)
    address += fmt::format(",argv{}={}", i, escaped(words[i]));
  return address;
}

}  // namespace fmd::ui
