#include "fmd/notify/explain_link.h"

namespace fmd {

std::string explain_link(std::string_view explain_url, std::string_view code) {
  constexpr std::string_view kCode = "{code}";
  if (explain_url.empty() || code.empty()) return {};
  std::string link(explain_url);
  const size_t at = link.find(kCode);
  return at == link.npos ? link.append(code) : link.replace(at, kCode.size(), code);
}

}  // namespace fmd
