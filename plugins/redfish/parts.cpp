#include "plugins/redfish/parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "fmd/base/lower_case.h"
#include "fmd/model/fmri.h"
#include "plugins/hardware/processor_names.h"
#include "plugins/redfish/health.h"
#include "plugins/redfish/members.h"

namespace fmd::redfish {
namespace {

using nlohmann::json;

class Describer {
 public:
  Describer(const Service& service, const Documents& documents)
      : service_(service), documents_(documents) {}
  Told all();

 private:
  void gather();
  void conditions_of(const std::string& uri, const json& status);
  Health health_of(const std::string& uri, const json& doc) const;
  void visit(const std::string& uri, const json& doc);
  void visit_array(const std::string& uri, const json& doc, const char* member, const char* type);
  void add_supply(const std::string& uri, const json& doc);
  void add_fan(const std::string& uri, const json& doc);
  struct Holder {
    std::string fmri;
    const char* type;
  };
  void add_sensor(const std::string& uri, const json& doc, const char* kind);
  void add_sensor(const std::string& uri, const json& doc, const char* kind, const Holder& holder);
  void add_drive(const std::string& uri, const json& doc);
  void add_disk(const std::string& fmri, const json& doc);
  void add_module(const std::string& uri, const json& doc);
  void add_processor(const std::string& uri, const json& doc);
  bool has_health(const std::string& uri, const json& doc) const;
  bool is_full() { return told_.too_many |= told_.resources.size() >= Told::kMostParts; }
  void remember(const json& part, json& properties);
  void note_bay(const std::string& fmri, const json& doc);
  void add_log_size(json& bmc) const;
  void add_bmc();
  void lead_to_all();
  void add_power_redundancy(const std::string& uri, const json& groups);
  void add_power();
  void put(json one, const std::string& uri, const std::string& holder, const char* holder_type);
  std::string box() const { return make_fmri("hc", {{"chassis", service_.system}}); }
  std::string system() const { return make_fmri("hc", {{"system", service_.system}}); }

  const Service& service_;
  const Documents& documents_;
  const std::map<std::string, std::string> kinds_ = kinds_by_link(documents_);
  Told told_;
  std::map<std::string, std::vector<const json*>> conditions_;  // by the URI they are about
  std::set<std::pair<std::string, std::string>> sensors_;       // reading type and name
  std::map<std::string, int64_t> bays_;  // FMRI → bay number, if the service provides it
  int supplies_ = 0, without_ = 0;
  bool bad_supply_ = false;
  std::optional<Health> redundancy_;  // of the supplies, if the service provides it
  std::string bad_fan_, firmware_;
};

void Describer::conditions_of(const std::string& uri, const json& status) {
  const json& list = at(status, "Conditions");
  if (!list.is_array()) return;
  for (const json& one : list) {
    const std::string origin = link(one, "OriginOfCondition");
    conditions_[origin.empty() ? uri : origin].push_back(&one);
  }
}

// A condition of a chassis or of the whole service belongs to the part that it names.
void Describer::gather() {
  for (const auto& [uri, doc] : documents_) {
    sensors_.emplace(text(doc.body, "ReadingType"), text(doc.body, "Name"));
    conditions_of(uri, at(doc.body, "Status"));
    if (at(doc.body, "Conditions").is_array()) conditions_of(uri, doc.body);  // ServiceConditions
    for (const char* array : {"PowerSupplies", "Fans", "Temperatures", "Voltages"})
      if (const json& list = at(doc.body, array); list.is_array())
        for (const json& one : list) conditions_of(text(one, "@odata.id"), at(one, "Status"));
  }
}

Health Describer::health_of(const std::string& uri, const json& doc) const {
  Health out;
  if (service_.state != "observed") return out;
  const std::string state = lower_case(text(doc, "Status/State"));
  out.absent = state == "absent";
  out.standby = state == "standbyspare" || state == "standbyoffline";
  if (out.absent) {
    out.level = "absent";
    return out;
  }
  out.level = level_of(text(doc, "Status/Health"));
  // Firmware disables a failed module and says so; a module that a person disabled is healthy.
  if (state == "disabled" && out.level == "unknown") out.level = "nominal";
  if (state == "unavailableoffline" && out.level == "unknown") out.level = "critical";
  if (state == "unavailableoffline") out.because("offline");
  const auto found = conditions_.find(uri);
  // Some services give a part only the health of it and what it contains.
  if (out.level == "unknown" && found == conditions_.end())
    out.level = level_of(text(doc, "Status/HealthRollup"));
  if (found != conditions_.end())
    for (const json* one : found->second) {
      out.worse(level_of(text(*one, "Severity")));
      out.because(text(*one, "Message").empty() ? text(*one, "MessageId") : text(*one, "Message"));
      out.predicted = out.predicted || names_forecast(text(*one, "MessageId"));
    }
  const std::string said = text(doc, "Status/Health");
  if (out.bad() && out.reason.empty())
    out.because("its health is " + (said.empty() ? text(doc, "Status/HealthRollup") : said));
  return out;
}

void Describer::put(json one, const std::string& uri, const std::string& holder,
                    const char* holder_type) {
  const std::string fmri = one["fmri"];
  auto [at, fresh] = told_.resources.try_emplace(holder);
  if (fresh) at->second = resource(holder, holder_type);
  at->second["edges"].push_back({{"relation", "contains"}, {"to", fmri}});
  one["properties"]["observed_by"] = "bmc";
  set(one["properties"], "redfish", uri);
  if (!uri.empty()) told_.part_of[uri] = fmri;
  told_.resources[fmri] = std::move(one);
}

void Describer::note_bay(const std::string& fmri, const json& doc) {
  if (const auto number = bay_of(doc)) bays_[fmri] = *number;
}

// Records that a part is installed; if it is absent later, it was removed.
void Describer::remember(const json& part, json& properties) {
  if (!service_.parts) return;
  const std::string fmri = part["fmri"], status = properties["status"];
  if (status != "unknown" && status != "not installed") service_.parts->insert("installed", fmri);
  if (service_.parts->contains("installed", fmri)) properties["was_installed"] = true;
}

// A supply without input is not broken, even if it reports so (PowerSupply.LineInputStatus).
void Describer::add_supply(const std::string& uri, const json& doc) {
  Health health = health_of(uri, doc);
  json supply = resource(
      make_fmri("hc", {{"chassis", service_.system}, {"psu", "redfish-" + name_of(uri)}}), "psu");
  json& properties = supply["properties"];
  properties["label"] = label_of(doc, uri);
  properties["enclosure"] = box();
  set_identity(doc, properties);
  const std::string input = text(doc, "LineInputStatus");
  const bool lost = input == "LossOfInput" || (input.empty() && reads_no_input(doc, health)),
             odd = input == "OutOfRange";
  const bool known = health.level != "unknown" && !health.absent;
  std::string status = status_of(health);
  if (known && (lost || odd)) {
    if (lost || status == "OK")
      status = "non-critical";  // with input, a bad status means it is broken
    health.because(lost ? "no input power" : "input power out of range");
  }
  if (known && health.predicted && status == "critical") status = "non-critical";
  properties["status"] = status;
  if (known) {
    properties["ac"] = lost ? "lost" : odd ? "out of range" : "ok";
    properties["predicted"] = health.predicted;
    properties["mismatch"] = false;
    properties["standby"] = health.standby;
    ++supplies_;
    if (lost) ++without_;
  }
  bad_supply_ = bad_supply_ || status == "critical" || status == "non-critical";
  note_bay(supply["fmri"], doc);
  remember(supply, properties);
  set(properties, "reason", health.reason);
  put(std::move(supply), uri, box(), "enclosure");
}

void Describer::add_fan(const std::string& uri, const json& doc) {
  const Health health = health_of(uri, doc);
  json fan = resource(
      make_fmri("hc", {{"chassis", service_.system}, {"fan", "redfish-" + name_of(uri)}}), "fan");
  json& properties = fan["properties"];
  properties["label"] = label_of(doc, uri);
  properties["enclosure"] = box();
  set_identity(doc, properties);
  properties["status"] = status_of(health);
  set(properties, "reason", health.reason);
  if (health.bad()) bad_fan_ = properties["label"];
  note_bay(fan["fmri"], doc);
  remember(fan, properties);
  put(std::move(fan), uri, box(), "enclosure");
}

// A Sensor, or an entry of the older Thermal and Power. Its health includes its thresholds.
void Describer::add_sensor(const std::string& uri, const json& doc, const char* kind) {
  add_sensor(uri, doc, kind, {system(), "system"});
}

void Describer::add_sensor(const std::string& uri, const json& doc, const char* kind,
                           const Holder& holder) {
  const Health health = health_of(uri, doc);
  if (health.absent) return;
  json sensor = resource(
      make_fmri("hc", {{"system", service_.system}, {"sensor", "redfish-" + name_of(uri)}}),
      "sensor");
  json& properties = sensor["properties"];
  properties["label"] = label_of(doc, uri);
  properties["kind"] = kind;
  properties["level"] = health.level;
  properties["status"] = health.level == "critical"  ? "failed"
                         : health.level == "warning" ? "alarm"
                         : health.level == "nominal" ? "ok"
                                                     : "unknown";
  if (health.level != "unknown")
    properties["condition"] = is_too_hot(doc) ? "processor.throttled" : "";
  if (kind == std::string_view("redundancy")) properties["sensor_type"] = "fan";
  set(properties, "reason", health.reason);
  const std::string what = kind;
  const char* unit = what == "temperature" ? "celsius"
                     : what == "voltage"   ? "volts"
                     : what == "power"     ? "watts"
                                           : "";
  set(properties, "unit", unit);
  for (const char* member : {"Reading", "ReadingCelsius", "ReadingVolts"})
    if (const json& value = at(doc, member); value.is_number() && service_.state == "observed") {
      told_.readings.push_back(
          {{"resource", sensor["fmri"]}, {"name", "value"}, {"unit", unit}, {"value", value}});
      break;
    }
  if (holder.fmri != system()) properties["part"] = holder.fmri;
  put(std::move(sensor), uri, holder.fmri, holder.type);
}

// The kernel may not see a disk behind a RAID controller; if it does, the FMRI is the same.
void Describer::add_disk(const std::string& fmri, const json& doc) {
  json disk = resource(fmri, "disk");
  json& properties = disk["properties"];
  set(properties, "serial", text(doc, "SerialNumber"));
  set(properties, "model", text(doc, "Model"));
  set(properties, "vendor", text(doc, "Manufacturer"));
  set(properties, "firmware", text(doc, "Revision"));
  if (const json& size = at(doc, "CapacityBytes"); size.is_number_unsigned())
    properties["size_bytes"] = size;
  told_.resources[fmri] = std::move(disk);
}

// The drive's bay, which may not be in any enclosure known to the kernel.
void Describer::add_drive(const std::string& uri, const json& doc) {
  if (!service_.bays) return;
  const Health health = health_of(uri, doc);
  json bay = resource(
      make_fmri("hc", {{"chassis", service_.system}, {"bay", "redfish-" + name_of(uri)}}), "bay");
  json& properties = bay["properties"];
  properties["label"] = label_of(doc, uri);
  properties["enclosure"] = box();
  if (const json& number = at(doc, "PhysicalLocation/PartLocation/LocationOrdinalValue");
      number.is_number_unsigned())
    properties["slot"] = number;
  note_bay(bay["fmri"], doc);
  properties["occupied"] = !health.absent;
  properties["status"] = health.level == "unknown" ? "unknown" : "OK";
  const bool predicted = truth(doc, "FailurePredicted") || health.predicted;
  properties["bmc.state"] = health.absent                ? "empty"
                            : health.level == "critical" ? "failed"
                            : predicted                  ? "predicted"
                            : health.level == "unknown"  ? "unknown"
                                                         : "ok";
  std::string why = health.reason;
  if (why.empty() && predicted) why = "it predicts its failure";
  set(properties, "bmc.reason", why);
  set(properties, "disk_serial", text(doc, "SerialNumber"));
  if (const std::string disk = disk_fmri(doc); !disk.empty() && !health.absent) {
    bay["edges"].push_back({{"relation", "contains"}, {"to", disk}});
    add_disk(disk, doc);
  }
  if (const json& light = at(doc, "LocationIndicatorActive"); light.is_boolean()) {
    properties["led.method"] = "redfish";
    properties["led.reads_back"] = true;
    if (service_.state == "observed") properties["led.locate"] = light.get<bool>() ? "on" : "off";
    told_.drive_of[bay["fmri"].get<std::string>()] = uri;
  }
  put(std::move(bay), uri, box(), "enclosure");
}

// The part's own health, not the rollup.
bool Describer::has_health(const std::string& uri, const json& doc) const {
  return !text(doc, "Status/Health").empty() || !text(doc, "Status/HealthRollup").empty() ||
         conditions_.contains(uri);
}

// SMBIOS identifies the module that the health and the entries belong to. The health is shown as a
// sensor of that module.
void Describer::add_module(const std::string& uri, const json& doc) {
  std::string dimm;
  for (const char* path : {"DeviceLocator", "Name", "Id", "Location/PartLocation/ServiceLabel"})
    if (dimm.empty()) dimm = service_.dimms.fmri(text(doc, path));
  if (has_health(uri, doc))
    add_sensor(uri, doc, "memory",
               dimm.empty() ? Holder{system(), "system"} : Holder{dimm, "dimm"});
  if (!dimm.empty()) told_.part_of[uri] = dimm;
}

void Describer::add_processor(const std::string& uri, const json& doc) {
  const std::string type = text(doc, "ProcessorType");
  std::string cpu;
  if (type.empty() || type == "CPU")  // others: accelerators, a processor's cores
    for (const char* path : {"Socket", "Name", "Id", "Location/PartLocation/ServiceLabel"})
      if (const auto number = hardware::processor_called(text(doc, path), service_.processors);
          number && cpu.empty())
        cpu = make_fmri("cpu", {{"socket", std::to_string(*number)}});
  if (has_health(uri, doc))
    add_sensor(uri, doc, "processor",
               cpu.empty() ? Holder{system(), "system"} : Holder{cpu, "cpu"});
  if (!cpu.empty()) told_.part_of[uri] = cpu;
}

void Describer::visit_array(const std::string& uri, const json& doc, const char* member,
                            const char* type) {
  const json& list = at(doc, member);
  if (!list.is_array()) return;
  const std::string kind = type, reading_type = kind == "temperature" ? "Temperature" : "Voltage";
  for (size_t i = 0; i < list.size() && !is_full(); ++i) {
    const std::string given = text(list[i], "@odata.id");
    const std::string own = given.empty() ? uri + "#/" + member + "/" + std::to_string(i) : given;
    if (kind == "psu")
      add_supply(own, list[i]);
    else if (kind == "fan")
      add_fan(own, list[i]);
    else if (kind == "redundancy" || !sensors_.contains({reading_type, text(list[i], "Name")}))
      add_sensor(own, list[i], type);  // otherwise the sensor also has its own document
  }
}

void Describer::visit(const std::string& uri, const json& doc) {
  const auto linked = kinds_.find(uri);
  const std::string kind = linked == kinds_.end() ? kind_of(doc) : linked->second;
  if (kind == "PowerSupply") return add_supply(uri, doc);
  if (kind == "Fan") return add_fan(uri, doc);
  if (kind == "Drive") return add_drive(uri, doc);
  if (kind == "Memory") return add_module(uri, doc);
  if (kind == "Power") {
    visit_array(uri, doc, "PowerSupplies", "psu");
    add_power_redundancy(uri, at(doc, "Redundancy"));
    return visit_array(uri, doc, "Voltages", "voltage");
  }
  if (kind == "PowerSubsystem") return add_power_redundancy(uri, at(doc, "PowerSupplyRedundancy"));
  if (kind == "Thermal") {
    visit_array(uri, doc, "Fans", "fan");
    visit_array(uri, doc, "Redundancy", "redundancy");
    return visit_array(uri, doc, "Temperatures", "temperature");
  }
  if (kind == "ThermalSubsystem") return visit_array(uri, doc, "FanRedundancy", "redundancy");
  if (kind == "Sensor") {
    const std::string reading = text(doc, "ReadingType");
    // Fan speeds are read with their fan.
    if (reading == "Rotational") return;
    return add_sensor(uri, doc,
                      reading == "Temperature" ? "temperature"
                      : reading == "Voltage"   ? "voltage"
                      : reading == "Current"   ? "current"
                      : reading == "Power"     ? "power"
                                               : "state");
  }
  if (kind == "Manager" && firmware_.empty()) firmware_ = text(doc, "FirmwareVersion");
  // The health of a container is usually the worst of its members: use only its own conditions.
  const bool holder =
      kind == "Chassis" || kind == "ComputerSystem" || kind == "Manager" || kind == "Storage";
  if (kind == "Processor") return add_processor(uri, doc);
  if (holder && conditions_.contains(uri)) add_sensor(uri, doc, "state");
}

// Whether the supplies are redundant; the worst of several groups counts.
void Describer::add_power_redundancy(const std::string& uri, const json& groups) {
  if (!groups.is_array()) return;
  for (size_t i = 0; i < groups.size(); ++i) {
    // Switched off by an administrator: the supplies are not redundant, and have lost nothing.
    if (at(groups[i], "RedundancyEnabled") == false ||
        lower_case(text(groups[i], "Status/State")) == "disabled")
      continue;
    const std::string given = text(groups[i], "@odata.id");
    const Health health =
        health_of(given.empty() ? uri + "#/Redundancy/" + std::to_string(i) : given, groups[i]);
    if (health.level == "unknown" || health.absent) continue;
    if (!redundancy_) redundancy_ = Health{};
    redundancy_->worse(health.level);
    redundancy_->because(health.reason);
  }
}

void Describer::add_power() {
  if (supplies_ == 0) return;
  const bool all = supplies_ > 1 && without_ == supplies_;
  for (auto& [fmri, one] : told_.resources)
    if (one["type"] == "psu" && one["properties"].contains("ac"))
      one["properties"]["feed"] = all ? "all" : "own";
  json power =
      resource(make_fmri("hc", {{"system", service_.system}, {"power", "redfish"}}), "power");
  power["properties"] = {{"label", "power supplies"},
                         {"supplies", supplies_},
                         {"supplies_without_input", without_},
                         {"input", all            ? "none"
                                   : without_ > 0 ? "some"
                                                  : "ok"},
                         {"explained", bad_supply_}};
  if (redundancy_) {
    power["properties"]["redundancy"] = redundancy_->level == "critical"  ? "lost"
                                        : redundancy_->level == "warning" ? "degraded"
                                                                          : "full";
    set(power["properties"], "reason", redundancy_->reason);
  }
  put(std::move(power), "", system(), "system");
}

// The usage of the fullest log among those that stop when full (LogService.OverWritePolicy).
void Describer::add_log_size(json& bmc) const {
  double fullest = -1;
  for (const auto& [uri, doc] : documents_) {
    const auto linked = kinds_.find(uri);
    if ((linked == kinds_.end() ? kind_of(doc.body) : linked->second) != "LogService" ||
        text(doc.body, "OverWritePolicy") != "NeverOverWrites")
      continue;
    const auto entries = documents_.find(link(doc.body, "Entries"));
    const json& most = at(doc.body, "MaxNumberOfRecords");
    if (entries == documents_.end() || !most.is_number() || most.get<double>() < 1) continue;
    const json& count = at(entries->second.body, "Members@odata.count");
    if (!count.is_number()) continue;
    const double used = 100 * count.get<double>() / most.get<double>();
    if (used <= fullest) continue;
    fullest = used;
    bmc["log_entries"] = count;
    bmc["log_used_percent"] = static_cast<int>(std::clamp(used, 0.0, 100.0));
  }
}

void Describer::add_bmc() {
  json bmc = resource(bmc_fmri(service_.system), "bmc");
  json& properties = bmc["properties"];
  properties["label"] = "BMC (Redfish)";
  properties["state"] = service_.state;
  set(properties, "reason", service_.reason);
  properties["events"] = service_.streamed ? "streamed" : "polled";
  set(properties, "firmware", firmware_);
  add_log_size(properties);
  put(std::move(bmc), "", system(), "system");
}

// All readings of these parts depend on the BMC.
void Describer::lead_to_all() {
  json& bmc = told_.resources[bmc_fmri(service_.system)];
  for (const auto& [fmri, one] : told_.resources)
    if (const std::string type = one["type"]; type == "sensor" || type == "fan" || type == "psu")
      bmc["edges"].push_back({{"relation", "path"}, {"to", fmri}});
}

Told Describer::all() {
  gather();
  for (const auto& [uri, doc] : documents_) {
    if (is_full()) break;
    visit(uri, doc.body);
  }
  add_power();
  add_bmc();
  lead_to_all();
  tell_apart(told_.resources, bays_);
  drop_shared_serials(told_.resources);
  // As with IPMI, consequences of a failed part are not reported separately.
  const std::string hot_by =
      service_.failed_fan ? service_.failed_fan->to_blame(bad_fan_, service_.now) : bad_fan_;
  for (auto& [fmri, one] : told_.resources) {
    if (one["type"] != "sensor") continue;
    const json& kind = one["properties"]["kind"];
    const std::string by = kind == "temperature"            ? hot_by
                           : kind == "redundancy"           ? bad_fan_
                           : kind == "power" && bad_supply_ ? "power supplies"
                                                            : "";
    one["properties"]["explained"] = !by.empty();
    set(one["properties"], "explained_by", by);
  }
  return std::move(told_);
}

}  // namespace

std::string bmc_fmri(const std::string& system) {
  return make_fmri("hc", {{"system", system}, {"bmc", "redfish"}});
}

Told describe(const Service& service, const Documents& documents) {
  return Describer(service, documents).all();
}

}  // namespace fmd::redfish
