#include "fmd/advice/names_in_text.h"

#include <array>
#include <cctype>
#include <string_view>

#include "fmd/advice/part_names.h"

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

std::string name_for_command(const Inventory& inventory, const PartIndex& index,
                             const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r || (r->type != "zfs-vdev" && r->type != "md-member" && r->type != "disk"))
    return command_name(inventory, index, fmri);
  const Resource* disk = inventory.descend(fmri, Relation::redundancy, "dev");
  if (!disk) return command_name(inventory, index, fmri);
  if (r != disk && inventory.parents(disk->fmri, Relation::redundancy).size() > 1) return fmri;
  Suspect named;
  named.fru = disk->fmri;
  named.location = inventory.location(disk->fmri);
  named.serial = disk->get("serial");
  return command_name(inventory, index, named);
}

std::string with_names(const Inventory& inventory, const PartIndex& index, std::string text) {
  for (size_t colon = 0; (colon = text.find("://", colon)) != text.npos;) {
    const size_t from = scheme_at(text, colon);
    const std::string fmri(fmri_at(text, from));
    colon += 3;
    if (!inventory.find(fmri)) continue;
    const std::string name = is_in_command(text, from) ? name_for_command(inventory, index, fmri)
                                                       : resource_words(inventory, fmri);
    text.replace(from, fmri.size(), name);
    colon = from + name.size();
  }
  return text;
}

}  // namespace fmd
