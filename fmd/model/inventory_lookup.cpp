// Finding a part by what a person calls it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/inventory.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

constexpr size_t kListed = 6;  // matches that an error names

// "bay-3", "bay 3", "slot_03", "3" → 3.
std::optional<uint64_t> slot_number(std::string_view name) {
  std::string text = lower_case(name);
  for (const std::string_view word : {"bay", "slot"})
    if (text.starts_with(word)) text.erase(0, word.size());
  if (!text.empty() && std::string_view(" -_=").find(text.front()) != std::string_view::npos)
    text.erase(0, 1);
  if (text.empty() || text.size() > 9) return {};
  uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

std::string without_0x(std::string_view wwn) {
  std::string text = lower_case(wwn);
  for (const std::string_view prefix : {"wwn-", "naa.", "eui.", "0x"})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  return text;
}

// A name, in the forms it is compared in: made once, not once a resource.
struct Name {
  std::string_view raw;
  std::string lower, wwn;
  std::optional<uint64_t> slot;
  std::string_view type, of_type;  // of "pool tank": "zfs-pool", "tank"

  explicit Name(std::string_view name)
      : raw(name), lower(lower_case(name)), wwn(without_0x(name)), slot(slot_number(name)) {
    for (const auto& [word, its] : {std::pair{"pool ", "zfs-pool"},
                                    {"array ", "md-array"},
                                    {"btrfs ", "btrfs"},
                                    {"fmd-", "plugin"},
                                    {"disk ", "disk"}})
      if (lower.starts_with(word)) {
        type = its;
        of_type = std::string_view(lower).substr(std::string_view(word).size());
      }
  }
  Name(const Name&) = delete;  // of_type points into it
  Name& operator=(const Name&) = delete;
};

const std::string* text_of(const Resource& r, std::string_view property) {
  const auto at = r.properties.find(property);
  const auto* text = at == r.properties.end() ? nullptr : std::get_if<std::string>(&at->second);
  return text && !text->empty() ? text : nullptr;
}

bool same(std::string_view text, std::string_view in_lower_case) {
  return std::equal(text.begin(), text.end(), in_lower_case.begin(), in_lower_case.end(),
                    [](char a, char b) { return lower_case(a) == b; });
}

// "sdk" in "sde,sdk".
bool lists(std::string_view names, std::string_view one) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    if (names.substr(0, end) == one) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

bool is_called(const Resource& r, const Name& name) {
  if (r.fmri == name.raw) return true;
  for (const std::string_view property : {"label", "serial", "name", "by_id", "path", "by_path"})
    if (const std::string* text = text_of(r, property); text && same(*text, name.lower))
      return true;
  if (!name.of_type.empty() && r.type == name.type)
    if (const std::string* text = text_of(r, r.type == "disk" ? "serial" : "name");
        text && same(*text, name.of_type))
      return true;
  if (const std::string* wwn = text_of(r, "wwn"); wwn && without_0x(*wwn) == name.wwn) return true;
  std::string_view device = name.raw;
  if (device.starts_with("/dev/")) device.remove_prefix(5);
  if (const std::string* path = text_of(r, "path"))
    if (path->starts_with("/dev/") && std::string_view(*path).substr(5) == device) return true;
  if (const std::string* paths = text_of(r, "paths"); paths && lists(*paths, device)) return true;
  if (r.type == "enclosure" || r.type == "system")
    if (const std::string* id = text_of(r, "id");
        id && (same(*id, name.lower) || without_0x(*id) == name.wwn))
      return true;
  return r.type == "bay" && name.slot && name.slot == slot_number(r.get("slot"));
}

// The last part of an FRU as cases show it, "disk=Z1Y0ABCD": by serial number, or WWN.
bool is_fru_part(const Resource& r, std::string_view part) {
  const auto parsed = Fmri::parse("hc://" + std::string(part));
  if (!parsed || parsed->parts.size() != 1 || parsed->parts[0].first != r.type) return false;
  const std::string& value = parsed->parts[0].second;
  return !value.empty() && (r.is("serial", value) || r.is("wwn", value));
}

// "sdc" means a present disk, not one that had the name before it was pulled.
void prefer_present(std::vector<const Resource*>& list) {
  std::stable_partition(list.begin(), list.end(), [](const Resource* r) { return r->present; });
  if (!list.empty() && list.front()->present)
    std::erase_if(list, [](const Resource* r) { return !r->present; });
}

// "CPU1" means the processor of that name, although a thread is "cpu1".
void prefer_exact(std::vector<const Resource*>& list, std::string_view name) {
  const auto is_exact = [&](const Resource* r) { return has_name(*r, name); };
  if (list.size() < 2 || std::none_of(list.begin(), list.end(), is_exact)) return;
  const std::string lower = lower_case(name);
  std::erase_if(list, [&](const Resource* r) {
    return !is_exact(r) && std::any_of(kOwnNames.begin(), kOwnNames.end(), [&](const char* one) {
      const std::string* text = text_of(*r, one);
      return text && same(*text, lower);
    });
  });
}

// A pool, an array, a btrfs file system, or a part of one: stored on disks.
bool lies_on_disks(const Resource& r) {
  return r.fmri.starts_with("zfs://") || r.fmri.starts_with("md://") ||
         r.fmri.starts_with("btrfs://");
}

// Only parts of one type are ambiguous, not a disk and its vdev.
std::vector<const Resource*> alike(const std::vector<const Resource*>& found) {
  const bool hardware =
      std::any_of(found.begin(), found.end(), [](const Resource* r) { return !lies_on_disks(*r); });
  std::map<std::string_view, std::vector<const Resource*>> by_type;
  for (const Resource* r : found)
    if (!hardware || !lies_on_disks(*r)) by_type[r->type].push_back(r);
  for (auto& [type, list] : by_type)
    if (list.size() > 1) return list;
  return {};
}

}  // namespace

std::vector<const Resource*> Inventory::called(std::string_view name) const {
  std::vector<const Resource*> out;
  const Name wanted(name);
  for (const auto& [fmri, r] : all())
    if (is_called(r, wanted)) out.push_back(&r);
  return out;
}

// HOLDER/PART, at whichever slash makes sense of it.
std::vector<const Resource*> Inventory::called_within(std::string_view name) const {
  std::vector<const Resource*> out;
  for (size_t slash = name.rfind('/'); slash != name.npos && slash > 0 && out.empty();
       slash = name.rfind('/', slash - 1)) {
    const std::string_view part = name.substr(slash + 1);
    if (part.empty()) continue;
    const Name wanted(part);
    const Resource* exact = find(name.substr(0, slash));
    const auto holders =
        exact ? std::vector<const Resource*>{exact} : called(name.substr(0, slash));
    for (const Resource* holder : holders)
      for (const Edge& edge : holder->edges) {
        const Resource* held = edge.relation == Relation::contains ? find(edge.to) : nullptr;
        if (held && (is_called(*held, wanted) || is_fru_part(*held, part))) out.push_back(held);
      }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::sort(out.begin(), out.end(),
            [](const Resource* a, const Resource* b) { return a->fmri < b->fmri; });
  return out;
}

std::vector<const Resource*> Inventory::lookup(std::string_view name) const {
  if (name.empty()) return {};
  if (const Resource* exact = find(name)) return {exact};
  std::vector<const Resource*> out = called(name);
  if (out.empty()) out = called_within(name);
  prefer_present(out);
  prefer_exact(out, name);
  return out;
}

// "5000c500fa0e5e50/bay-3": a bay by what holds it; anything else by its FMRI.
std::string Inventory::precise_name(const Resource& r) const {
  const std::string slot = r.get("slot"), label = r.get("label");
  const std::string own = r.type != "bay" ? "" : slot.empty() ? label : "bay-" + slot;
  for (const Resource* holder : parents(r.fmri, Relation::contains))
    for (const char* property : {"label", "id"}) {
      const std::string name = own.empty() ? "" : holder->get(property) + "/" + own;
      if (const auto found = name.empty() ? decltype(lookup(name))() : lookup(name);
          found.size() == 1 && found.front() == &r)
        return name;
    }
  return r.fmri;
}

Result<std::vector<const Resource*>> Inventory::meant(std::string_view name) const {
  std::vector<const Resource*> found = lookup(name);
  const auto several = alike(found);
  if (several.empty()) return found;
  std::string list;
  for (size_t i = 0; i < std::min(several.size(), kListed); ++i) {
    const std::string label = several[i]->get("label");
    list += fmt::format("{}{}{}", i ? ", " : "", several[i]->fmri,
                        label.empty() ? "" : " (" + display(label) + ")");
  }
  if (several.size() > kListed) list += fmt::format(" and {} more", several.size() - kListed);
  return fail(
      fmt::format("\"{}\" may be any of {}: name one of these by its FMRI{}", display(name), list,
                  several.front()->type == "bay"
                      ? ", or as ENCLOSURE/BAY: \"" + display(precise_name(*several.front())) + "\""
                      : ""));
}

}  // namespace fmd
