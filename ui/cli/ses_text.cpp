#include "ui/cli/ses_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "fmd/base/json.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

constexpr size_t kShortestSerial = 6;
constexpr size_t kFewestBytes = 4;  // of a line that is a dump

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Serial numbers are capitals and digits; element names are "Slot", "phy", "ArrayDevice00".
bool may_be_serial(std::string_view word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return is_digit(c) || std::isupper(static_cast<unsigned char>(c)) != 0;
  });
  return plain && word.size() >= kShortestSerial &&
         std::count_if(word.begin(), word.end(), is_digit) >= 2;
}

bool is_address(std::string_view word) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  return word.size() == 16 && std::all_of(word.begin(), word.end(), [](char c) {
           return std::isxdigit(static_cast<unsigned char>(c)) != 0;
         });
}

template <class Take>
void each_word(std::string_view text, const Take& take) {
  size_t from = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0) continue;
    if (i > from) take(text.substr(from, i - from));
    from = i + 1;
  }
}

// A dump: at least some bytes of two digits, and nothing else that is longer at the line's front.
bool is_dump(std::string_view line) {
  size_t bytes = 0;
  bool only = true;
  each_word(line, [&](std::string_view word) {
    const bool byte = word.size() == 2 && std::all_of(word.begin(), word.end(), [](char c) {
                        return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                      });
    if (only && byte)
      ++bytes;
    else
      only = false;
  });
  return bytes >= kFewestBytes;
}

// Each page begins with the INQUIRY's vendor, product and revision.
void learn_page(const json& lines, std::set<std::string>& secrets) {
  std::set<std::string, std::less<>> names;
  if (!lines.empty())
    each_word(lines.front().get_ref<const std::string&>(),
              [&](std::string_view word) { names.emplace(word); });
  for (const json& line : lines)
    each_word(line.get_ref<const std::string&>(), [&](std::string_view word) {
      if (!names.contains(word) && (is_address(word) || may_be_serial(word)))
        secrets.emplace(word.starts_with("0x") ? word.substr(2) : word);
    });
}

}  // namespace

std::set<std::string> secrets_in(const json& pages) {
  std::set<std::string> secrets;
  for (const json& device : pages)
    for (const auto& [name, lines] : device.items()) learn_page(lines, secrets);
  return secrets;
}

json without_bytes(json pages) {
  for (json& device : pages)
    for (auto& [name, lines] : device.items())
      for (json& line : lines)
        if (is_dump(line.get_ref<const std::string&>())) line = "(bytes left out)";
  return pages;
}

}  // namespace fmd::cli
