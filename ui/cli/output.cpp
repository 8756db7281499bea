// Writes text to the terminal, a pager or a pipe.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/terminal.h"

namespace fmd::cli {

bool pages_output = false;

Result<void> print(std::string_view text) {
  std::string plain;
  if (!shows_utf8()) text = plain = in_ascii(text);
  if (pages_output) start_pager();
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
    // The user has left the pager, which is no error.
    if (errno == EPIPE && has_pager()) {
      end_pager();
      exit(0);
    }
    return fail(std::string("Cannot write the output: ") + strerror(errno));
  }
  return {};
}

std::string json_text(const nlohmann::json& doc) {
  return plain_json(doc.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + '\n';
}

std::string json_line(const nlohmann::json& doc) {
  return plain_json(doc.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) + '\n';
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char f) {
    return f == '-' ? c == '-' : isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace fmd::cli
