#include "plugins/system/gauges.h"

#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

// Values beyond these mean that a sensor is missing or broken: 127, -128 and 255 are usual.
constexpr double kColdest = -60, kHottest = 125;
// Server fans reach 30,000 rpm; more is noise on a connector without a fan.
constexpr double kFastest = 50'000;

// Reads gauges in order: the files of one part are in one folder.
class GaugeReader {
 public:
  explicit GaugeReader(const sdk::Host& host) : host_(host) {}

  // null if it cannot be read.
  json value_of(const Gauge& gauge) {
    const auto first = number_in(gauge.file);
    if (!first) return nullptr;
    auto sum = static_cast<double>(*first);
    for (const std::string& file : gauge.also) {
      const auto more = number_in(file);
      if (!more) return nullptr;
      sum += static_cast<double>(*more);
    }
    const double value = sum / gauge.divisor;
    if (gauge.unit == "celsius" && (value < kColdest || value > kHottest)) return nullptr;
    if (gauge.unit == "rpm" && (value < 0 || value > kFastest)) return nullptr;
    return value;
  }

 private:
  std::optional<int64_t> number_in(const std::string& file) {
    const std::string_view above = parent_path(file);
    if (!folder_ || folder_->path() != above) folder_.emplace(host_, above);
    return number_of(folder_->read(std::string(last_name(file))).value_or(""));
  }

  const sdk::Host& host_;
  std::optional<sdk::Host::Folder> folder_;
};

}  // namespace

std::string read_gauges(const sdk::Host& host,
                        const std::vector<const std::vector<Gauge>*>& devices) {
  json values = json::array();
  GaugeReader reader(host);
  for (const auto* gauges : devices)
    for (const Gauge& g : *gauges) values.push_back(reader.value_of(g));
  const auto bytes = json::to_cbor(values);
  return std::string(bytes.begin(), bytes.end());
}

std::optional<std::vector<Values>> values_in(const sdk::CommandOutput& output,
                                             const std::vector<size_t>& counts) {
  if (!output.ok()) return {};
  const json doc = json::from_cbor(output.out, true, false);
  if (!doc.is_array()) return {};
  std::vector<Values> all;
  size_t at = 0;
  for (const size_t count : counts) {
    Values& values = all.emplace_back(count);
    for (size_t i = 0; i < count; ++i, ++at)
      if (at < doc.size() && doc[at].is_number()) values[i] = doc[at].get<double>();
  }
  return all;
}

}  // namespace fmd::machine
