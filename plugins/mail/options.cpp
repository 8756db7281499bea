#include "plugins/mail/options.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "fmd/base/text.h"
#include "plugins/sdk/config.h"
#include "plugins/sdk/secret.h"

namespace fmd::mail {
namespace {

constexpr size_t kLongestMailbox = 254;  // RFC 5321 § 4.5.3.1.3

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_domain(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != text.npos)
    return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return plain(c) || c == '-' || c == '.'; });
}

// An unquoted local part (RFC 5322 dot-atom). Quoted ones are refused as too risky.
bool is_local_part(std::string_view text) {
  constexpr std::string_view kSpecial = "!#$%&'*+/=?^_`{|}~-.";
  if (text.empty() || text.front() == '-' || text.front() == '.' || text.back() == '.')
    return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return plain(c) || kSpecial.find(c) != kSpecial.npos; });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// This host's full name according to the resolver; "" if no relay would accept it.
std::string canonical_name(const char* name) {
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name, nullptr, &hints, &found) != 0) return {};
  const std::string full = found->ai_canonname ? found->ai_canonname : "";
  freeaddrinfo(found);
  return full;
}

// Including the domain, which relays require in EHLO and in the sender.
std::string own_host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || !is_domain(name.data())) return "localhost";
  const std::string own = name.data();
  if (own.find('.') != own.npos) return own;
  const std::string full = canonical_name(name.data());
  return full.starts_with(own + ".") && is_domain(full) ? full : own;
}

std::optional<size_t> choose(sdk::Config& config, std::string_view key,
                             std::vector<std::string> words, size_t usual) {
  const std::string given = config.text(key, words[usual]);
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == given) return i;
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "\"" : ", \"") + word + "\"";
  const auto near = nearest(given, words);
  config.wrong(key, "must be one of " + all + (near ? "; did you mean \"" + *near + "\"?" : ""));
  return std::nullopt;
}

void load_addresses(sdk::Config& config, Options& options) {
  const std::string from = config.text("from", "fmd@" + options.host);
  if (auto address = Address::parse(from))
    options.from = std::move(*address);
  else
    config.wrong("from", address.error().message);
  for (const std::string& text : config.texts("to", {})) {
    if (auto address = Address::parse(text))
      options.to.push_back(std::move(*address));
    else
      config.wrong("to", address.error().message);
  }
  // Default: root, through the machine's own mail system. On another server, "root" would be that
  // machine's.
  const bool own = options.transport == Transport::sendmail || options.server == Options().server;
  if (options.to.empty() && own) options.to = {{"", "root@localhost"}};
}

bool is_server(std::string_view url) {
  const bool smtp = url.starts_with("smtp://");
  if (!smtp && !url.starts_with("smtps://")) return false;
  url.remove_prefix(smtp ? 7 : 8);
  const bool bracketed = url.starts_with('[');  // [2001:db8::1]:25
  const size_t end = bracketed ? url.find(']') : std::min(url.find(':'), url.size());
  if (end == url.npos) return false;
  const std::string_view host = url.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  const std::string_view port = url.substr(end + (bracketed ? 1 : 0));
  const bool good_host =
      bracketed ? !host.empty() && host.find_first_not_of("0123456789abcdefABCDEF:.") == host.npos
                : is_domain(host);
  if (port.empty()) return good_host;
  return good_host && port.size() > 1 && port.size() <= 6 && port[0] == ':' &&
         port.find_first_not_of("0123456789", 1) == port.npos;
}

bool is_loopback(std::string_view url) {  // url: valid according to is_server()
  url.remove_prefix(std::min(url.find("//"), url.size() - 2) + 2);
  for (const std::string_view host : {"localhost", "127.0.0.1", "[::1]"})
    if (url.starts_with(host) && (url.size() == host.size() || url[host.size()] == ':'))
      return true;
  return false;
}

void load_server(sdk::Config& config, Options& options) {
  options.server = config.text("server", options.server);
  if (!is_server(options.server))
    config.wrong("server", "must be smtp://HOST:PORT or smtps://HOST:PORT");
  options.user = config.text("user", "");
  options.password_file = config.text("password_file", "");
  options.ca_file = config.text("ca_file", "");
  // Send a password only over an encrypted connection, unless configured otherwise.
  const bool has_user = !options.user.empty();
  // A connection to this machine itself cannot be intercepted, and Debian's mail servers offer TLS
  // there with a self-signed certificate.
  const bool own =
      options.ca_file.empty() && is_server(options.server) && is_loopback(options.server);
  const size_t usual = has_user ? 0 : own ? 2 : 1;
  if (auto word = choose(config, "starttls", {"required", "try", "off"}, usual))
    options.starttls = std::array{StartTls::required, StartTls::attempt, StartTls::off}[*word];
  if (has_user && options.starttls == StartTls::attempt)
    config.wrong("starttls",
                 "\"try\" would send the password in the clear to a server without TLS: use "
                 "\"required\", or \"off\" if that is what you want");
  if (has_user == options.password_file.empty())
    config.wrong(has_user ? "user" : "password_file", "needs both user and password_file");
  if (!options.password_file.empty())
    if (const auto password = sdk::read_secret(options.password_file); !password)
      config.wrong("password_file", password.error().text());
  if (!options.ca_file.empty() && access(options.ca_file.c_str(), R_OK) != 0)
    config.wrong("ca_file",
                 "cannot be read by the user fmd-mail runs as: " + display(options.ca_file));
}

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  const auto refuse = [&] { return fail("is no mail address: \"" + display(text) + "\""); };
  Address address;
  std::string_view mailbox = trim(text);
  if (const size_t open = mailbox.find('<'); open != mailbox.npos) {
    if (mailbox.back() != '>') return refuse();
    address.name = trim(mailbox.substr(0, open));
    mailbox = mailbox.substr(open + 1, mailbox.size() - open - 2);
  }
  const size_t at = mailbox.rfind('@');
  if (at == mailbox.npos || mailbox.size() > kLongestMailbox) return refuse();
  if (!is_local_part(mailbox.substr(0, at)) || !is_domain(mailbox.substr(at + 1))) return refuse();
  if (display(address.name) != address.name) return refuse();  // control characters, broken UTF-8
  address.mailbox = mailbox;
  return address;
}

Result<Options> Options::load(const std::string& path) {
  sdk::Config config(path);
  Options options;
  options.file = path.empty() ? "/etc/fmd/mail.toml" : path;
  options.host = config.text("host", own_host_name());
  if (!is_domain(options.host)) config.wrong("host", "must be a host name");
  if (auto word = choose(config, "transport", {"smtp", "sendmail"}, 0))
    options.transport = *word == 0 ? Transport::smtp : Transport::sendmail;
  load_server(config, options);
  options.sendmail = config.text("sendmail", options.sendmail);
  if (!options.sendmail.starts_with('/'))
    config.wrong("sendmail", "must be a program's whole path");
  load_addresses(config, options);
  options.timeout = config.duration("timeout", options.timeout);
  const std::string folder = config.text("templates", "/etc/fmd/mail.d");
  if (!folder.starts_with('/')) config.wrong("templates", "must be a folder's whole path");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  auto templates = Templates::load(folder);
  if (!templates) return tl::unexpected(templates.error());
  options.templates = std::move(*templates);
  return options;
}

}  // namespace fmd::mail
