#include "fmd/model/fmri_in_text.h"

#include <array>
#include <cctype>
#include <string_view>

#include "fmd/model/part_name.h"

namespace fmd {
namespace {

// The FMRI that begins at `from`, without a full stop or colon of the sentence: "zfs://pool=7/vdev=4." names a vdev.
std::string_view fmri_at(std::string_view text, size_t from) {
  const size_t end = text.find_first_of(" '\",;()", from);
  std::string_view name = text.substr(from, end == text.npos ? end : end - from);
  while (!name.empty() && (name.back() == '.' || name.back() == ':')) name.remove_suffix(1);
  return name;
}

// The position where the scheme before "://" begins.
size_t scheme_at(std::string_view text, size_t colon) {
  size_t at = colon;
  while (at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1]))) --at;
  return at;
}

// Whether that position is within a quoted command: 'fmadm retire …'.
bool is_in_command(std::string_view text, size_t at) {
  static constexpr std::array<std::string_view, 4> kCommands{"'fmadm ", "'fmtopo ", "'fmdump ",
                                                             "'fmstat "};
  const size_t quote = text.substr(0, at).rfind('\'');
  if (quote == text.npos) return false;
  for (const std::string_view command : kCommands)
    if (text.substr(quote).starts_with(command)) return true;
  return false;
}

}  // namespace

std::string replace_fmris(std::string text, const FmriNamer& name) {
  for (size_t colon = 0; (colon = text.find("://", colon)) != text.npos;) {
    const size_t from = scheme_at(text, colon);
    const std::string fmri(fmri_at(text, from));
    colon += 3;
    const auto words = name(fmri, is_in_command(text, from));
    if (!words) continue;
    text.replace(from, fmri.size(), *words);
    colon = from + words->size();
  }
  return text;
}

std::string with_places(const Inventory& inventory, std::string text) {
  return replace_fmris(std::move(text),
                       [&](const std::string& fmri, bool in_command) -> std::optional<std::string> {
                         if (in_command || !inventory.find(fmri)) return std::nullopt;
                         return name_in_place(inventory, fmri);
                       });
}

}  // namespace fmd
