// /etc/fmd/mail.toml, checked.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/mail/templates.h"

namespace fmd::mail {

// A mailbox, as in "fmd@example.org" or "Fault manager <fmd@example.org>".
struct Address {
  std::string name;     // UTF-8; "" if none
  std::string mailbox;  // local@domain; ASCII without blanks, safe in any command

  static Result<Address> parse(std::string_view text);
};

enum class Transport { smtp, sendmail };
enum class StartTls { required, attempt, off };

struct Options {
  Transport transport = Transport::smtp;
  std::string server = "smtp://localhost:25";
  StartTls starttls = StartTls::attempt;
  std::string user, password_file, ca_file;
  std::string sendmail = "/usr/sbin/sendmail";
  Address from;
  std::vector<Address> to;  // if empty, nothing can be delivered
  std::string host;         // this machine's name in EHLO and Message-ID
  std::chrono::milliseconds timeout{240000};
  Templates templates;
  std::string file;  // of the configuration, for messages

  // path "": no configuration. Reports all errors, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::mail
