// The message as it goes out (RFC 5322, 2047, 2045): whatever is in a notice, it becomes valid
// headers and a valid body, and never a header of its own. Pure.
#pragma once
#include <string>
#include <string_view>

#include "plugins/mail/options.h"
#include "plugins/sdk/notifier.h"

namespace fmd::mail {

// Lines end with CRLF, as SMTP has them. The same notice always gives the same text, Message-ID and
// Date included.
std::string compose(const sdk::Notice& notice, const Options& options);

// A header's value: control characters shown escaped, other than ASCII as encoded words, folded.
// used: columns taken by the header's name.
std::string header_value(std::string_view text, size_t used);
// The body as quoted-printable; lines may end with \n or \r\n.
std::string quoted_printable(std::string_view text);
// "<…@host>", the same for the same key.
std::string message_id(std::string_view key, std::string_view host);
std::string date(int64_t time_ns);  // "Sat, 21 Nov 2026 02:48:41 +0000"

}  // namespace fmd::mail
