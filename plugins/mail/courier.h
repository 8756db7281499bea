// The courier: the code that needs libcurl and cairo, in a module that only a child process loads,
// to send or to paint. Its fifty libraries would take 8 MiB in every idle fmd-mail.
#pragma once
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plugins/mail/options.h"

namespace fmd::mail {

// A message to be sent.
struct Parcel {
  Options options;
  std::string message;
  std::vector<std::string> mailboxes;
  std::chrono::milliseconds within{};
};

inline constexpr int kPictureWidth = 608;  // CSS pixels: the column of the shipped HTML

struct Courier {
  const char* build;  // FMD_MAIL_BUILD; always the first member, to be readable across builds
  // Returns an Outcome as JSON.
  std::string (*deliver)(const Parcel& parcel);
  // Returns a PNG at twice the displayed size, or the error text if the drawing is invalid.
  std::string (*paint)(const nlohmann::json& drawing);
};

// Called in a child, which exits with a message on stderr if the module cannot be opened or is of
// another build: after an upgrade the old fmd-mail finds the new module, whose Parcel may differ.
const Courier& courier();

}  // namespace fmd::mail
