// The board of a simulated host: processors, memory modules, fans, power supplies.
#include <fmt/format.h>

#include "host.h"

namespace fmd::score {

void Host::build_board() {
  for (int m = 0; m < spec.modules; ++m) {
    modules.push_back(fmt::format("hc://system=host/dimm={}", number_of(m)));
    Resource& r = add(Teller::system, modules.back(), "dimm");
    r.properties = {{"label", text(fmt::format("DIMM {}", m))},
                    {"ce_count", number(0)},
                    {"ue_count", number(0)}};
  }
  for (int p = 0; p < spec.processors; ++p) {
    const std::string cpu = fmt::format("cpu://socket={}", p);
    processors.push_back(cpu);
    Resource& r = add(Teller::cpu, cpu, "cpu");
    r.properties = {{"name", text(fmt::format("CPU {}", p))}, {"socket", number(p)}};
    for (int c = 0; c < 4; ++c) {
      cores.push_back(fmt::format("{}/core={}", cpu, c));
      told_[Teller::cpu][cpu].edges.push_back({Relation::contains, cores.back()});
      Resource& core = add(Teller::cpu, cores.back(), "core");
      core.properties = {{"name", text(fmt::format("CPU {} core {}", p, c))},
                         {"core", number(c)},
                         {"group", text(cpu)},
                         {"service", text("in-service")},
                         {"state", text("online")}};
    }
  }
  for (size_t m = 0; m + 1 < modules.size(); m += 2) {
    channels.push_back(fmt::format("mem://mc=0/channel={}", number_of(static_cast<int>(m / 2))));
    Resource& r = add(Teller::cpu, channels.back(), "memory-channel");
    r.properties = {{"name", text(fmt::format("memory channel {}", m / 2))}};
    r.edges = {{Relation::path, modules[m]}, {Relation::path, modules[m + 1]}};
    told_[Teller::cpu]["cpu://socket=0"].edges.push_back({Relation::contains, channels.back()});
  }
}

// The BMC and the board parts that it monitors, under its own names.
void Host::build_bmc() {
  bmc = "hc://system=host/bmc=0";
  Resource& r = add(Teller::ipmi, bmc, "bmc");
  r.properties = {{"label", text("BMC")},
                  {"state", text("observed")},
                  {"log_used_percent", number(10)},
                  {"log_overflow", Value(false)}};
  const auto sensor = [&](const char* label, const char* kind) {
    board_sensors.push_back(fmt::format("hc://system=host/sensor=ipmi-{:02}",
                                        number_of(static_cast<int>(board_sensors.size()))));
    add(Teller::ipmi, board_sensors.back(), "sensor").properties = {
        {"label", text(label)}, {"kind", text(kind)},    {"level", text("nominal")},
        {"status", text("ok")}, {"condition", text("")}, {"explained", Value(false)}};
  };
  for (const char* label : {"CPU1 Temp", "System Temp", "Inlet Temp"}) sensor(label, "temperature");
  for (const char* label : {"12V", "3.3V"}) sensor(label, "voltage");
  for (int n = 0; n < 4; ++n) {
    board_fans.push_back(fmt::format("hc://chassis=host/fan=ipmi{}", number_of(n)));
    add(Teller::ipmi, board_fans.back(), "fan").properties = {
        {"label", text(fmt::format("FAN{}", n))}, {"status", text("OK")}};
  }
  for (const auto* parts : {&board_sensors, &board_fans})
    for (const std::string& part : *parts)
      told_[Teller::ipmi][bmc].edges.push_back({Relation::path, part});
}

}  // namespace fmd::score
