// What /etc/fmd/mail.toml says, checked.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/mail/templates.h"

namespace fmd::mail {

// A mailbox as written: "fmd@example.org" or "Fault manager <fmd@example.org>".
struct Address {
  std::string name;     // UTF-8, "" none
  std::string mailbox;  // local@domain; plain ASCII without blanks, so it can be put in any command

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
  std::vector<Address> to;  // empty: nothing can be delivered
  std::string host;         // this machine's name in EHLO and Message-ID
  std::chrono::milliseconds timeout{240000};
  Templates templates;
  std::string file;  // of this configuration, for messages

  // path "" : no configuration. All errors are listed, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::mail
