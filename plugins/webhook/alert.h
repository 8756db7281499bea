// The alert for programs and web servers: a JSON document and its signature. Pure.
#pragma once
#include <string>
#include <string_view>

#include "plugins/sdk/notifier.h"

namespace fmd::webhook {

// {"version":1,"key","event","time","host","subject","body","case"}: README.md.
std::string alert_document(const sdk::Notice& notice);
// "sha256=<hex>": HMAC-SHA256 (RFC 2104) of the body.
Result<std::string> signature(std::string_view secret, std::string_view body);

}  // namespace fmd::webhook
