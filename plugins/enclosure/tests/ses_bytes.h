// The pages of ses_pages_test.cpp.
#pragma once
#include <string>

namespace fmd::enclosure::testing {

inline std::string with_header(char code, const std::string& body) {
  const std::string rest = std::string("\0\0\0\1", 4) + body;  // generation 1
  std::string page{code, '\0', static_cast<char>(rest.size() >> 8), static_cast<char>(rest.size())};
  return page + rest;
}

// One enclosure descriptor of 4 + 36 bytes with 4 types: 2 bays (17h), 2 power supplies (02h),
// 2 fans (03h), 2 temperature sensors (04h).
inline const std::string kConfiguration =
    with_header(1, std::string("\x11\0\4\x24", 4) + std::string("\x50\0\xc5\0\xfa\x0e\x5e\x50", 8) +
                       "ACME    SHELF           0001" +
                       std::string("\x17\2\0\0\x02\2\0\0\x03\2\0\0\x04\2\0\0", 16));

// For each type its overall status and its elements'. 7220 rpm is 722 = 2d2h tens.
inline const std::string kStatus =
    with_header(2, std::string("\1\0\0\0\1\0\0\0\5\0\0\0", 12) +
                       std::string("\0\0\0\0\1\0\0\x20\2\0\0\x62", 12) +
                       std::string("\0\0\0\0\1\2\xd2\x20\5\0\0\0", 12) +
                       std::string("\0\0\0\0\1\0\x37\0\1\0\0\0", 12));

inline std::string name(const std::string& text) {
  return std::string("\0\0\0", 3) + static_cast<char>(text.size()) + text;
}
inline const std::string kDescriptors = with_header(
    7, name("") + name("SLOT 00") + name("SLOT 01") + name("") + name("PSU A") + name("PSU B  ") +
           name("") + name("FAN 1") + name("FAN 2") + name("") + name("IOM") + name(""));

}  // namespace fmd::enclosure::testing
