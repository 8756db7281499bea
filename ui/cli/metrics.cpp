#include "ui/cli/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "ui/cli/check.h"
#include "ui/client/verdicts.h"

namespace fmd::cli {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// OpenMetrics: escapes backslash, quote and line feed; control characters are shown escaped.
std::string label_value(std::string_view raw) {
  std::string out;
  for (const char c : display(raw)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

// The format requires all samples of a metric together, after its description.
class Exposition {
 public:
  void describe(const std::string& name, std::string_view type, std::string_view help) {
    Family& family = families_[name];
    family.head = fmt::format("# TYPE {} {}\n# HELP {} {}\n", name, type, name, help);
    family.suffix = type == "counter" ? "_total" : "";
  }
  void sample(const std::string& name, const Labels& labels, double value) {
    std::string text;
    for (const auto& [label, word] : labels)
      if (!word.empty())
        text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, label_value(word));
    Family& family = families_[name];
    // Prometheus rejects a page with duplicate series.
    if (!family.series.insert(text).second) return;
    family.samples += fmt::format("{}{}{{{}}} {}\n", name, family.suffix, text, value);
  }
  std::string text() const {
    std::string out;
    for (const auto& [name, family] : families_)
      if (!family.samples.empty()) out += family.head + family.samples;
    return out + "# EOF\n";
  }

 private:
  struct Family {
    std::string head, suffix, samples;
    std::set<std::string> series;
  };
  std::map<std::string, Family> families_;
};

constexpr std::array kStates{"ok", "degraded", "failed", "predicted_failure"};

// OpenTelemetry's hw.type; "" if it has none.
std::string hardware_type(const Resource& r) {
  static const std::map<std::string_view, std::string_view> types{{"disk", "physical_disk"},
                                                                  {"psu", "power_supply"},
                                                                  {"fan", "fan"},
                                                                  {"cpu", "cpu"},
                                                                  {"dimm", "memory"},
                                                                  {"enclosure", "enclosure"},
                                                                  {"nic", "network"},
                                                                  {"hba", "disk_controller"}};
  const auto at = types.find(r.type);
  return at == types.end() ? "" : std::string(at->second);
}

std::optional<double> number(const Resource& r, std::string_view property) {
  const auto at = r.properties.find(property);
  if (at == r.properties.end()) return {};
  if (const auto* whole = std::get_if<int64_t>(&at->second)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&at->second)) return *real;
  return {};
}

std::string parent_of(const Inventory& inventory, const std::string& fmri) {
  const auto parents = inventory.parents(fmri, Relation::contains);
  return parents.empty() ? std::string() : parents.front()->fmri;
}

Labels hardware_labels(const Inventory& inventory, const Resource& r, const std::string& type) {
  const std::string bay = inventory.location(r.fmri);
  const std::string name = r.get("label").empty() ? r.get("name") : r.get("label");
  return {{"hw_id", r.fmri},
          {"hw_type", type},
          {"hw_name", r.type == "disk" && !bay.empty() ? bay : name},
          {"hw_parent", parent_of(inventory, r.fmri)},
          {"hw_serial_number", r.get("serial")},
          {"hw_model", r.get("model")},
          {"hw_firmware_version", r.get("firmware")}};
}

void add_hardware(Exposition& out, const MetricsSource& source) {
  out.describe("hw_status", "gauge", "Whether the part is in that state: 1 yes, 0 no.");
  out.describe("hw_temperature_celsius", "gauge", "Temperature.");
  out.describe("hw_fan_speed_rpm", "gauge", "Rotations per minute.");
  out.describe("hw_power_watts", "gauge", "Power.");
  out.describe("hw_physical_disk_endurance_utilization_percent", "gauge", "Wear of a drive.");
  out.describe("hw_errors", "counter", "Errors counted on the part.");
  ui::Verdicts verdicts;
  for (const Case& c : source.cases) verdicts.add(c);
  for (const auto& [fmri, r] : source.inventory.all()) {
    if (!r.present) continue;
    if (r.type == "sensor") {
      const Labels labels{{"hw_id", fmri},
                          {"hw_name", r.get("label")},
                          {"hw_parent", parent_of(source.inventory, fmri)}};
      const auto value = number(r, "value");
      const std::string unit = r.get("unit");
      if (value && unit == "celsius") out.sample("hw_temperature_celsius", labels, *value);
      if (value && unit == "rpm") out.sample("hw_fan_speed_rpm", labels, *value);
      if (value && unit == "watts") out.sample("hw_power_watts", labels, *value);
      continue;
    }
    if (r.type == "zfs-vdev")
      for (const char* kind : {"read", "write", "checksum"})
        if (const auto count = number(r, std::string(kind) + "_errors"))
          out.sample("hw_errors",
                     {{"hw_id", fmri},
                      {"hw_type", "logical_disk"},
                      {"hw_name", r.get("name")},
                      {"pool", r.get("pool")},
                      {"error_type", kind}},
                     *count);
    const std::string type = hardware_type(r);
    if (type.empty()) continue;
    Labels labels = hardware_labels(source.inventory, r, type);
    if (const auto t = number(r, "temperature_celsius"))
      out.sample("hw_temperature_celsius", labels, *t);
    if (const auto wear = number(r, "wear_percent"))
      out.sample("hw_physical_disk_endurance_utilization_percent", labels, *wear);
    const std::string_view state = ui::health_name(ui::health_of(r, verdicts));
    labels.emplace_back("hw_state", "");
    for (const char* one : kStates) {
      labels.back().second = one;
      out.sample("hw_status", labels, state == one ? 1 : 0);
    }
  }
}

void add_cases(Exposition& out, const MetricsSource& source) {
  out.describe("fmd_open_cases", "gauge", "Cases that are not resolved.");
  out.describe("fmd_case", "gauge", "1 for each open case and suspect of it.");
  std::map<std::pair<std::string, bool>, int> counts;
  for (const char* severity : {"Minor", "Major", "Critical"})
    for (const bool acknowledged : {false, true}) counts[{severity, acknowledged}] = 0;
  for (const Case& c : source.cases) {
    if (c.state == CaseState::unsolved) continue;
    ++counts[{c.severity, c.acknowledged}];
    for (const Suspect& s : c.suspects)
      out.sample("fmd_case",
                 {{"uuid", c.uuid},
                  {"severity", c.severity},
                  {"code", c.code},
                  {"class", s.fault_class},
                  {"bay", s.location},
                  {"serial", s.serial},
                  {"hw_id", s.fru.empty() ? s.resource : s.fru},
                  {"status", std::string(status_name(s.status))},
                  {"acknowledged", c.acknowledged ? "true" : "false"}},
                 1);
  }
  for (const auto& [key, count] : counts)
    out.sample("fmd_open_cases",
               {{"severity", key.first}, {"acknowledged", key.second ? "true" : "false"}}, count);
}

void add_pools(Exposition& out, const MetricsSource& source) {
  out.describe("fmd_pool_scan_percent", "gauge", "How far the scrub or resilver is.");
  out.describe("fmd_pool_scan_seconds_left", "gauge", "Estimate of the time it still takes.");
  for (const auto& [fmri, r] : source.inventory.all()) {
    if ((r.type != "zfs-pool" && r.type != "md-array") || !r.present) continue;
    const Labels labels{{"pool", r.get("name")}, {"hw_id", fmri}, {"scan", r.get("scan")}};
    if (r.get("scan").empty() || r.is("scan", "none")) continue;
    if (const auto percent = number(r, "scan_percent"))
      out.sample("fmd_pool_scan_percent", labels, *percent);
    if (const auto left = number(r, "scan_seconds_left"))
      out.sample("fmd_pool_scan_seconds_left", labels, *left);
  }
}

void add_own(Exposition& out, const MetricsSource& source) {
  out.describe("fmd_plugin_state", "gauge", "Whether the plugin is in that state: 1 yes.");
  out.describe("fmd_outbox_messages", "gauge", "Messages that wait for delivery.");
  if (source.plugins.is_array())
    for (const auto& plugin : source.plugins)
      out.sample(
          "fmd_plugin_state",
          {{"plugin", fmd::json_text(plugin, "name")}, {"state", fmd::json_text(plugin, "state")}},
          1);
  std::map<std::string, int> waiting;
  if (source.outbox.is_array())
    for (const auto& entry : source.outbox)
      waiting[fmd::json_text(entry, "notifier")] += is_waiting(entry) ? 1 : 0;
  for (const auto& [channel, count] : waiting)
    out.sample("fmd_outbox_messages", {{"channel", channel}}, count);
}

}  // namespace

std::string open_metrics(const MetricsSource& source) {
  Exposition out;
  add_hardware(out, source);
  add_cases(out, source);
  add_pools(out, source);
  add_own(out, source);
  return out.text();
}

}  // namespace fmd::cli
