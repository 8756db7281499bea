#include "plugins/ipmi/fru_text.h"

#include <cstdlib>
#include <utility>

#include "plugins/hardware/system_id.h"

namespace fmd::ipmi {
namespace {

constexpr int kLastFru = 0xFF;  // a FRU device id is one byte

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

constexpr std::pair<std::string_view, std::string FruText::*> kFields[] = {
    {"Product Manufacturer", &FruText::manufacturer},
    {"Product Name", &FruText::product},
    {"Product Part Number", &FruText::part_number},
    {"Product Serial", &FruText::serial},
    {"Board Mfg", &FruText::board_manufacturer},
    {"Board Product", &FruText::board},
    {"Board Part Number", &FruText::board_part_number},
    {"Board Serial", &FruText::board_serial},
    {"Chassis Serial", &FruText::chassis_serial},
    {"Chassis Part Number", &FruText::chassis_part_number}};

}  // namespace

bool FruText::tells_anything() const {
  for (const auto& [name_in_text, member] : kFields)
    if (!(this->*member).empty()) return true;
  return false;
}

std::map<int, FruText> parse_frus(std::string_view printed) {
  std::map<int, FruText> frus;
  FruText* current = nullptr;
  while (!printed.empty()) {
    const size_t end = printed.find('\n');
    const std::string_view line = printed.substr(0, end);
    printed.remove_prefix(end == printed.npos ? printed.size() : end + 1);
    const size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon)),
                           value = trimmed(line.substr(colon + 2));
    if (key == "FRU Device Description") {  // "PSU1 (ID 3)"
      const size_t id = value.rfind(" (ID ");
      current = nullptr;
      if (id == value.npos) continue;
      const int number = atoi(std::string(value.substr(id + 5)).c_str());
      if (number < 0 || number > kLastFru) continue;
      current = &frus[number];
      current->name = value.substr(0, id);
    }
    // ipmitool prints only one character of a UTF-16 field.
    const bool tells = value.size() > 1 && !hardware::is_nobodys_text(value);
    for (const auto& [name, member] : kFields)
      if (current && key == name && tells) (current->*member) = value;
  }
  return frus;
}

}  // namespace fmd::ipmi
