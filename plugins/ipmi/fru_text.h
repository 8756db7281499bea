// FruText: parses `ipmitool fru print`: the FRU memories of parts. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace fmd::ipmi {

struct FruText {
  std::string name;  // of the FRU memory: "PSU1"
  std::string manufacturer, product, part_number, serial;
  std::string board, board_manufacturer, board_part_number, board_serial;
  std::string chassis_serial, chassis_part_number;
  bool tells_anything() const;  // about the part, besides the FRU memory's name
};

std::map<int, FruText> parse_frus(std::string_view printed);  // by FRU device id

}  // namespace fmd::ipmi
