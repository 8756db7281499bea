#include "plugins/enclosure/ses_pages.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace fmd::enclosure {
namespace {

constexpr int kDevice = 0x01, kArrayDevice = 0x17;
constexpr int kPsu = 0x02, kCooling = 0x03, kTemperature = 0x04;
constexpr size_t kMostElements = 4096;

unsigned byte(std::string_view page, size_t at) {
  return static_cast<unsigned char>(page[at]);
}
size_t word(std::string_view page, size_t at) {
  return byte(page, at) << 8 | byte(page, at + 1);
}

// The page without trailing bytes; empty if it is not that page.
std::string_view page_of(std::string_view bytes, unsigned code) {
  if (bytes.size() < 8 || byte(bytes, 0) != code || word(bytes, 2) + 4 > bytes.size()) return {};
  return bytes.substr(0, word(bytes, 2) + 4);
}

struct Type {
  unsigned code, elements;
};

// Configuration page: enclosure descriptors, then a header of 4 bytes for each type.
Result<std::vector<Type>> types_of(std::string_view page) {
  const auto broken = [] { return fail("the enclosure's configuration page is cut short"); };
  if (page.empty()) return fail("no SES configuration page");
  size_t at = 8, headers = 0;
  for (unsigned i = 0; i <= byte(page, 1); ++i) {
    if (at + 4 > page.size()) return broken();
    headers += byte(page, at + 2);
    at += byte(page, at + 3) + 4;
  }
  std::vector<Type> types;
  for (size_t i = 0; i < headers; ++i, at += 4) {
    if (at + 4 > page.size()) return broken();
    types.push_back({byte(page, at), byte(page, at + 1)});
  }
  return types;
}

// Element descriptor page: a length and a text for each type as a whole and for each element.
// Trailing blanks are padding, but the kernel keeps them in folder names.
std::vector<std::string> names_of(std::string_view page, bool trimmed) {
  std::vector<std::string> names;
  for (size_t at = 8; at + 4 <= page.size() && names.size() < kMostElements;) {
    const size_t length = word(page, at + 2);
    if (at + 4 + length > page.size()) break;
    std::string name(page.substr(at + 4, length));
    name.resize(std::min(name.find('\0'), name.size()));
    while (trimmed && name.ends_with(' ')) name.pop_back();
    names.push_back(std::move(name));
    at += 4 + length;
  }
  return names;
}

std::string status_word(unsigned code) {
  static constexpr std::array<const char*, 9> kWords{
      "unsupported",   "OK",      "critical",      "non-critical", "unrecoverable",
      "not installed", "unknown", "not available", "no access"};
  return code < kWords.size() ? kWords[code] : "unknown";
}

void add(std::string& text, bool set, const char* word) {
  if (set) text += (text.empty() ? "" : ", ") + std::string(word);
}

// Decodes the four bytes of an element's status: power supply, cooling and temperature sensor
// elements of SES-3.
void decode(Element& element, unsigned code, std::string_view status) {
  const unsigned second = byte(status, 1), third = byte(status, 2), fourth = byte(status, 3);
  element.status = status_word(byte(status, 0) & 0x0f);
  add(element.reason, byte(status, 0) & 0x40, "failure predicted");
  if (code == kPsu) {
    add(element.reason, third & 0x08, "DC overvoltage");
    add(element.reason, third & 0x04, "DC undervoltage");
    add(element.reason, third & 0x02, "DC overcurrent");
    add(element.reason, fourth & 0x40, "failed");
    add(element.reason, fourth & 0x10, "off");
    add(element.reason, fourth & 0x08, "overtemperature");
    add(element.reason, fourth & 0x04, "temperature warning");
    add(element.reason, fourth & 0x02, "AC fail");
    add(element.reason, fourth & 0x01, "DC fail");
  } else if (code == kCooling) {
    element.value = 10.0 * ((second & 0x07) << 8 | third);
    element.unit = "rpm";
    add(element.reason, fourth & 0x40, "failed");
    add(element.reason, fourth & 0x10, "off");
  } else {
    if (third != 0) element.value = static_cast<double>(third) - 20;
    element.unit = "celsius";
    add(element.reason, fourth & 0x08, "over its limit");
    add(element.reason, fourth & 0x04, "over its warning limit");
    add(element.reason, fourth & 0x02, "under its limit");
    add(element.reason, fourth & 0x01, "under its warning limit");
  }
  // Elements that are absent or unknown carry no other information.
  if (element.status != "OK" && element.status != "critical" && element.status != "non-critical" &&
      element.status != "unrecoverable") {
    element.value.reset();
    element.reason.clear();
  }
}

// Calls visit(type, status bytes, index of its descriptor) for each individual element.
template <class Visit>
Result<void> each_element(std::string_view configuration, std::string_view status,
                          const Visit& visit) {
  const auto types = types_of(page_of(configuration, 0x01));
  if (!types) return tl::unexpected(types.error());
  status = page_of(status, 0x02);
  if (status.empty()) return fail("no SES status page");
  // If the enclosure changed between the two pages, their generation codes differ.
  if (status.substr(4, 4) != configuration.substr(4, 4))
    return fail("the enclosure changed while it was read");
  size_t at = 8, name = 0;
  for (const Type& type : *types) {
    at += 4, ++name;  // the type as a whole
    for (unsigned i = 0; i < type.elements; ++i, at += 4, ++name) {
      if (at + 4 > status.size()) return fail("the enclosure's status page is cut short");
      visit(type.code, status.substr(at, 4), name);
    }
  }
  return {};
}

// As drivers/misc/enclosure.c names folders: "name", "name-1" if that exists, the number if there
// is no name.
std::string component_name(const std::string& raw, size_t number, std::set<std::string>& taken) {
  std::string base = raw.empty() ? std::to_string(number) : raw;
  std::replace(base.begin(), base.end(), '/', '!');
  std::string name = base;
  for (int i = 1; !taken.insert(name).second; ++i) name = base + "-" + std::to_string(i);
  return name;
}

}  // namespace

Result<std::vector<Element>> decode_elements(std::string_view configuration,
                                             std::string_view status,
                                             std::string_view descriptors) {
  const auto names = names_of(page_of(descriptors, 0x07), true);
  const std::map<unsigned, const char*> wanted{
      {kPsu, "psu"}, {kCooling, "fan"}, {kTemperature, "sensor"}};
  std::map<unsigned, int> counted;
  std::vector<Element> elements;
  const auto read =
      each_element(configuration, status, [&](unsigned code, std::string_view bytes, size_t name) {
        const auto kind = wanted.find(code);
        if (kind == wanted.end()) return;
        Element element{kind->second, counted[code]++, "", "", "", {}, ""};
        if (name < names.size()) element.name = names[name];
        decode(element, code, bytes);
        if (element.status != "unsupported") elements.push_back(std::move(element));
      });
  if (!read) return tl::unexpected(read.error());
  return elements;
}

Result<std::vector<Slot>> decode_slots(std::string_view configuration, std::string_view status,
                                       std::string_view descriptors) {
  const auto names = names_of(page_of(descriptors, 0x07), false);
  std::set<std::string> taken;
  std::vector<Slot> slots;
  const auto read =
      each_element(configuration, status, [&](unsigned code, std::string_view bytes, size_t name) {
        if (code != kDevice && code != kArrayDevice) return;
        Slot slot;
        slot.component =
            component_name(name < names.size() ? names[name] : "", slots.size(), taken);
        const unsigned code_now = byte(bytes, 0) & 0x0f;
        slot.status = code_now == 7 ? "unavailable" : status_word(code_now);  // sysfs' term
        slot.power = (byte(bytes, 3) & 0x10) == 0;
        slot.fault = static_cast<int>((byte(bytes, 3) & 0x60) >> 4);
        slot.locate = (byte(bytes, 2) & 0x02) != 0 ? 1 : 0;
        slots.push_back(std::move(slot));
      });
  if (!read) return tl::unexpected(read.error());
  return slots;
}

}  // namespace fmd::enclosure
