// Formatting of a mail (RFC 5322, 2045, 2046, 2047): any input becomes a valid header or part and
// cannot add headers or parts. Lines end with CRLF. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::mail {

inline constexpr std::string_view kFold = "\r\n ";

// A header's value: control characters escaped, non-ASCII text as encoded words, folded. used:
// columns taken by the header's name.
std::string header_value(std::string_view text, size_t used);
// The whole line; "" if the value is empty.
std::string header_line(std::string_view name, std::string_view value);
// Encoded even if plain, so that no character has a special meaning.
std::string encoded_words(std::string_view text, size_t used);
// The body as quoted-printable; lines may end with \n or \r\n.
std::string quoted_printable(std::string_view text);
// In lines of 76 columns.
std::string base64_lines(std::string_view bytes);
// "<…@host>", always the same for a key.
std::string message_id(std::string_view key, std::string_view host);
std::string date(int64_t time_ns);  // "Sat, 21 Nov 2026 02:48:41 +0000"
bool may_go_unencoded(std::string_view text);
std::string with_crlf(std::string_view text);

// A part of a multipart: its headers, a blank line and its body.
std::string text_part(std::string_view type, std::string_view text);  // UTF-8, quoted-printable
// kind: "alternative", "related"; more: parameters besides the boundary, "; type=…". The boundary
// contains "=_", which cannot occur in quoted-printable or base64.
std::string multipart(std::string_view kind, std::string_view more,
                      const std::vector<std::string>& parts);

}  // namespace fmd::mail
