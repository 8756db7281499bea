// SHA-256 (FIPS 180-4) and HMAC over it (RFC 2104). Pure.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace fmd {

using Sha256 = std::array<uint8_t, 32>;

Sha256 sha256(std::string_view data);
Sha256 hmac_sha256(std::string_view key, std::string_view message);

}  // namespace fmd
