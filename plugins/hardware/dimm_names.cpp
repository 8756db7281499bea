#include "plugins/hardware/dimm_names.h"

#include <fmt/format.h>

#include <set>

#include "fmd/model/fmri.h"

namespace fmd::hardware {
namespace {

constexpr const char* kTable = "/sys/firmware/dmi/tables/DMI";
constexpr std::string_view kBehind[] = {"status", "ecc", "errors", "error", "err"};

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

}  // namespace

std::vector<std::string> dimm_labels(const std::vector<MemoryModule>& modules) {
  std::map<std::string, int> locators, banked;
  const auto with_bank = [](const MemoryModule& m) {
    return m.bank.empty() ? m.locator : m.bank + " " + m.locator;
  };
  for (const MemoryModule& m : modules) {
    ++locators[m.locator];
    ++banked[with_bank(m)];
  }
  std::vector<std::string> labels;
  for (const MemoryModule& m : modules) {
    if (!m.locator.empty() && locators[m.locator] == 1)
      labels.push_back(m.locator);
    else if (const std::string both = with_bank(m); !both.empty() && banked[both] == 1)
      labels.push_back(both);
    else
      labels.push_back(fmt::format("{}#{:04x}", both, m.handle));
  }
  return labels;
}

DimmNames::DimmNames(const std::vector<MemoryModule>& modules) {
  const std::vector<std::string> labels = dimm_labels(modules);
  for (size_t i = 0; i < modules.size(); ++i) {
    const MemoryModule& m = modules[i];
    const std::string fmri = make_fmri("mem", {{"dimm", labels[i]}});
    std::set<std::string> names;
    for (const std::string& name : {labels[i], m.locator, m.bank + m.locator})
      if (!plain(name).empty()) names.insert(plain(name));
    for (const std::string& name : names) {
      const auto [at, fresh] = by_name_.emplace(name, fmri);
      if (!fresh) at->second.clear();
    }
  }
}

void DimmNames::also(std::string_view name, std::string_view label) {
  if (const std::string known = fmri(label); !known.empty() && !plain(name).empty())
    by_name_[plain(name)] = known;
}

DimmNames DimmNames::of(const sdk::Host& host) {
  const auto table = host.read(kTable);
  return table ? DimmNames(parse_smbios(*table).modules) : DimmNames();
}

std::string DimmNames::fmri(std::string_view name) const {
  std::string text = plain(name);
  for (;;) {
    if (const auto at = by_name_.find(text); at != by_name_.end()) return at->second;
    const size_t before = text.size();
    for (const std::string_view word : kBehind)
      if (text.size() > word.size() && text.ends_with(word)) {
        text.resize(text.size() - word.size());
        break;
      }
    if (text.size() == before) return {};
  }
}

}  // namespace fmd::hardware
