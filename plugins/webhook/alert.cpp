#include "plugins/webhook/alert.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "fmd/base/json_value.h"
#include "plugins/sdk/notice.h"

namespace fmd::webhook {

std::string alert_document(const sdk::Notice& notice) {
  nlohmann::json doc = {{"version", 1},          {"key", notice.key},
                        {"event", notice.event}, {"time", notice.time_ns},
                        {"host", notice.host},   {"subject", notice.subject},
                        {"body", notice.body},   {"case", notice.fault_case}};
  if (notice.is_happening()) doc["happening"] = notice.happening;
  return dump_json(doc) + "\n";
}

Result<std::string> signature(std::string_view secret, std::string_view body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data(), &size))
    return fail("the alert cannot be signed");
  std::string out = "sha256=";
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace fmd::webhook
