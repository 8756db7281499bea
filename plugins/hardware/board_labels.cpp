#include "plugins/hardware/board_labels.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "fmd/base/text.h"

namespace fmd::hardware {
namespace {

constexpr const char* kFolder = "/etc/ras/dimm_labels.d";
constexpr const char* kFile = "/etc/ras/dimm_labels.db";
constexpr const char* kDmi = "/sys/class/dmi/id/";

std::string_view trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t\r");
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (const std::string_view part = trimmed(text.substr(at, end - at)); !part.empty())
      out.push_back(part);
    at = end + 1;
  }
  return out;
}

bool alike(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return tolower(x) == tolower(y); });
}

// "Vendor: Dell Inc." → "Dell Inc.".
std::optional<std::string_view> behind(std::string_view line, std::string_view word) {
  if (line.size() < word.size() || !alike(line.substr(0, word.size()), word)) return std::nullopt;
  return trimmed(line.substr(word.size()));
}

bool is_one_of(std::string_view names, const std::string& name) {
  const auto all = parts_of(names, ',');
  return !name.empty() && std::any_of(all.begin(), all.end(),
                                      [&](std::string_view one) { return alike(one, name); });
}

// "0.1.0".
std::optional<std::vector<unsigned>> place_in(std::string_view text) {
  std::vector<unsigned> out;
  for (const std::string_view part : parts_of(text, '.')) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    out.push_back(number);
  }
  return out.size() < 2 ? std::nullopt : std::optional(out);
}

}  // namespace

// A vendor applies until the next one; "Product" names the machine, "Model" the board. Several
// places with one label are the ranks of one module.
void BoardLabels::add(std::string_view text, const BoardName& machine) {
  std::string_view vendor;
  bool ours = false;
  for (std::string_view line : parts_of(text, '\n')) {
    line = trimmed(line.substr(0, line.find('#')));
    if (const auto name = behind(line, "Vendor:")) {
      vendor = *name;
      ours = false;
    } else if (const auto products = behind(line, "Product:")) {
      ours = alike(vendor, machine.maker) && is_one_of(*products, machine.product);
    } else if (const auto models = behind(line, "Model:")) {
      ours = alike(vendor, machine.board_maker) && is_one_of(*models, machine.board);
    } else if (ours) {
      for (const std::string_view entry : parts_of(line, ';')) {
        const size_t colon = entry.rfind(':');
        if (colon == entry.npos) continue;
        const std::string label(trimmed(entry.substr(0, colon)));
        for (const std::string_view place : parts_of(entry.substr(colon + 1), ','))
          if (const auto numbers = place_in(place); numbers && !label.empty())
            by_place_.emplace(*numbers, label);
      }
    }
  }
}

std::string BoardLabels::at(const std::vector<unsigned>& place) const {
  const auto found = by_place_.find(place);
  return found == by_place_.end() ? "" : found->second;
}

BoardLabels BoardLabels::of(const sdk::Host& host) {
  BoardLabels out;
  const auto dmi = [&](const char* name) {
    return host.read(std::string(kDmi) + name).value_or("");
  };
  const BoardName machine{dmi("sys_vendor"), dmi("product_name"), dmi("board_vendor"),
                          dmi("board_name")};
  const auto names = host.list(kFolder);
  for (const std::string& name : names ? *names : std::vector<std::string>())
    out.add(host.read(std::string(kFolder) + "/" + name).value_or(""), machine);
  out.add(host.read(kFile).value_or(""), machine);
  return out;
}

}  // namespace fmd::hardware
