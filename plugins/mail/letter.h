// The complete message: text, HTML and a picture (mime.h has the formatting rules). Pure.
#pragma once
#include <string>

#include "plugins/mail/options.h"
#include "plugins/sdk/notifier.h"

namespace fmd::mail {

struct Picture {
  std::string png;
  std::string alt;  // text alternative
  int width = 0;    // maximum display width, in CSS pixels
};

// Lines end with CRLF, as in SMTP. The same notice always gives the same text, including Message-ID
// and Date. picture: nullptr for none.
std::string compose(const sdk::Notice& notice, const Options& options,
                    const Picture* picture = nullptr);

}  // namespace fmd::mail
