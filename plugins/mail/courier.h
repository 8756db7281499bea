// The courier: what needs libcurl and cairo, a module that only the child opens which sends or paints. With it come fifty libraries,
// which took 8 MiB in every fmd-mail that has nothing to send.
#pragma once
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plugins/mail/options.h"

namespace fmd::mail {

// A message on its way out.
struct Parcel {
  Options options;
  std::string message;
  std::vector<std::string> mailboxes;
  std::chrono::milliseconds within{};
};

inline constexpr int kPictureWidth = 608;  // CSS pixels: the column of the shipped HTML

struct Courier {
  const char* build;  // FMD_MAIL_BUILD; stays the first, whatever comes
  // An Outcome as JSON.
  std::string (*deliver)(const Parcel& parcel);
  // PNG of a drawing, twice as fine as it is shown; the words of the error when it cannot be drawn.
  std::string (*paint)(const nlohmann::json& drawing);
};

// In a child, which ends with words on stderr when the module cannot be opened, or is not of this build: after an upgrade the fmd-mail
// that still runs finds the new one, whose Parcel may be laid out otherwise.
const Courier& courier();

}  // namespace fmd::mail
