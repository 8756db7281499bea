// The message as it goes out: text, HTML and a picture (mime.h has the rules of the form). Pure.
#pragma once
#include <string>

#include "plugins/mail/options.h"
#include "plugins/sdk/notifier.h"

namespace fmd::mail {

struct Picture {
  std::string png;
  std::string alt;  // the same in words
  int width = 0;    // as shown at most, in CSS pixels
};

// Lines end with CRLF, as SMTP has them. The same notice always gives the same text, Message-ID and
// Date included. picture: nullptr none.
std::string compose(const sdk::Notice& notice, const Options& options,
                    const Picture* picture = nullptr);

}  // namespace fmd::mail
