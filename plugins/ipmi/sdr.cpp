#include "plugins/ipmi/sdr.h"

#include <algorithm>
#include <cmath>

namespace fmd::ipmi {
namespace {

constexpr size_t kHeader = 5;
constexpr int kFull = 0x01, kCompact = 0x02, kEventOnly = 0x03, kFruLocator = 0x11;

// One record; bytes are counted from 1 as in the specification's tables.
class Record {
 public:
  explicit Record(std::string_view bytes) : bytes_(bytes) {}
  int at(size_t number) const {
    return number >= 1 && number <= bytes_.size() ? static_cast<uint8_t>(bytes_[number - 1]) : 0;
  }
  int word(size_t number) const { return at(number) | at(number + 1) << 8; }
  size_t size() const { return bytes_.size(); }
  std::string name(size_t length_at) const;

 private:
  std::string packed(size_t from, size_t length) const;
  std::string_view bytes_;
};

// Section 43.15: two bits of encoding, five of length.
std::string Record::name(size_t length_at) const {
  const size_t length = static_cast<size_t>(at(length_at) & 0x1F), from = length_at + 1;
  if (from + length > bytes_.size() + 1) return {};
  const int encoding = at(length_at) >> 6;
  if (encoding == 2) return packed(from, length);
  std::string text(bytes_.substr(from - 1, length));
  if (encoding == 1) {  // BCD plus
    text.clear();
    for (size_t i = 0; i < length; ++i)
      for (const int digit : {at(from + i) >> 4, at(from + i) & 0xF})
        text += "0123456789 -.:,_"[digit];
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;  // trailing blanks may separate it from a number
}

std::string Record::packed(size_t from, size_t length) const {  // 6-bit ASCII, low bits first
  std::string text;
  int bits = 0, have = 0;
  for (size_t i = 0; i < length; ++i) {
    bits |= at(from + i) << have;
    for (have += 8; have >= 6; have -= 6, bits >>= 6)
      text += static_cast<char>((bits & 0x3F) + ' ');
  }
  return text;
}

int signed_bits(int value, int bits) {
  return value & (1 << (bits - 1)) ? value - (1 << bits) : value;
}

std::string unit_name(int percent, int base) {  // table 43-15
  if (percent & 1) return "percent";
  switch (base) {
    case 1:
      return "celsius";
    case 4:
      return "volts";
    case 5:
      return "amps";
    case 6:
      return "watts";
    case 18:
      return "rpm";
    default:
      return "";
  }
}

void take_common(const Record& record, Sensor& sensor) {
  sensor.owner = record.at(6) | (record.at(7) & 0x03) << 8;
  sensor.ours = record.at(6) == owner::kBmc && (record.at(7) & 0xF3) == 0;
  sensor.number = record.at(8);
  sensor.part = {record.at(9), record.at(10) & 0x7F};
}

void take_curve(const Record& record, Sensor& sensor) {
  Sensor::Curve& curve = sensor.curve;
  const int format = record.at(21) >> 6;
  curve.has = format != 3;
  curve.is_signed = format == 1 || format == 2;
  curve.ones = format == 1;
  curve.linear = record.at(24) & 0x7F;
  curve.m = signed_bits(record.at(25) | (record.at(26) & 0xC0) << 2, 10);
  curve.b = signed_bits(record.at(27) | (record.at(28) & 0xC0) << 2, 10);
  curve.r_exponent = signed_bits(record.at(30) >> 4, 4);
  curve.b_exponent = signed_bits(record.at(30) & 0xF, 4);
  sensor.unit = unit_name(record.at(21), record.at(22));
}

Sensor full_sensor(const Record& record) {
  Sensor sensor;
  take_common(record, sensor);
  sensor.type = record.at(13);
  sensor.reading_type = record.at(14);
  sensor.name = record.name(48);
  sensor.readable = static_cast<uint16_t>(record.word(19));
  if (sensor.reading_type != 0x01) return sensor;
  take_curve(record, sensor);
  // Bytes 42 to 37, beginning with lower non-critical. Byte 19 says which of them are readable.
  constexpr size_t kLimitAt[6] = {42, 41, 40, 39, 38, 37};
  const int access = record.at(12) >> 2 & 3;  // 0: no thresholds, 3: fixed, and not readable
  sensor.compares = access == 0 ? 0 : access == 3 ? 0x3F : record.at(19) & 0x3F;
  for (size_t bit = 0; access != 3 && bit < 6; ++bit)
    if (sensor.compares >> bit & 1) sensor.limits[bit] = sensor.value(record.at(kLimitAt[bit]));
  return sensor;
}

Sensor compact_sensor(const Record& record) {
  Sensor sensor;
  take_common(record, sensor);
  sensor.type = record.at(13);
  sensor.reading_type = record.at(14);
  sensor.name = record.name(32);
  sensor.readable = static_cast<uint16_t>(record.word(19));
  return sensor;
}

Sensor event_sensor(const Record& record) {
  Sensor sensor;
  take_common(record, sensor);
  sensor.type = record.at(11);
  sensor.reading_type = record.at(12);
  sensor.name = record.name(17);
  sensor.event_only = true;
  return sensor;
}

// A record shared by several sensors (sections 43.2 and 43.3): numbers and names count up.
void add_shared(const Record& record, size_t at, const Sensor& first, std::vector<Sensor>& into) {
  const int count = std::max(1, record.at(at) & 0xF);
  const bool letters = (record.at(at) >> 4 & 3) == 1;
  const bool counts_parts = (record.at(at + 1) & 0x80) != 0;
  const int offset = record.at(at + 1) & 0x7F;
  for (int i = 0; i < count; ++i) {
    Sensor sensor = first;
    sensor.number = (first.number + i) & 0xFF;
    if (counts_parts) sensor.part.instance += i;
    if (count > 1)
      sensor.name += letters ? std::string(1, static_cast<char>('A' + (offset + i) % 26))
                             : std::to_string(offset + i);
    into.push_back(std::move(sensor));
  }
}

void take_record(int type, const Record& record, Sdr& sdr) {
  if (type == kFull && record.size() >= 48) {
    sdr.sensors.push_back(full_sensor(record));
  } else if (type == kCompact && record.size() >= 32) {
    add_shared(record, 24, compact_sensor(record), sdr.sensors);
  } else if (type == kEventOnly && record.size() >= 17) {
    add_shared(record, 13, event_sensor(record), sdr.sensors);
  } else if (type == kFruLocator && record.size() >= 16 && record.at(8) & 0x80) {
    sdr.frus[record.at(7)] = {{record.at(13), record.at(14) & 0x7F}, record.name(16)};
  }
}

double linearized(double x, int linear) {  // table 43-1, byte 24
  switch (linear) {
    case 1:
      return std::log(x);
    case 2:
      return std::log10(x);
    case 3:
      return std::log2(x);
    case 4:
      return std::exp(x);
    case 5:
      return std::pow(10, x);
    case 6:
      return std::exp2(x);
    case 7:
      return 1 / x;
    case 8:
      return x * x;
    case 9:
      return x * x * x;
    case 10:
      return std::sqrt(x);
    case 11:
      return std::cbrt(x);
    default:
      return x;
  }
}

}  // namespace

std::optional<double> Sensor::value(int raw) const {
  if (!curve.has || curve.linear > 11) return std::nullopt;
  int count = raw & 0xFF;
  if (curve.is_signed) count = signed_bits(count, 8);
  if (curve.ones && count < 0) ++count;
  const double value = linearized(
      (curve.m * count + curve.b * std::pow(10, curve.b_exponent)) * std::pow(10, curve.r_exponent),
      curve.linear);
  if (!std::isfinite(value)) return std::nullopt;
  return std::round(value * 1000) / 1000;
}

const Sensor* Sdr::find(int number) const {
  for (const Sensor& sensor : sensors)
    if (sensor.number == number && sensor.ours) return &sensor;
  return nullptr;
}

const Sensor* Sdr::find(int owner, int number, int type) const {
  const Sensor* other = nullptr;
  for (const Sensor& sensor : sensors) {
    if (sensor.number != number) continue;
    if (sensor.owner == owner && (sensor.ours || sensor.event_only)) return &sensor;
    if (sensor.event_only && sensor.type == type && owner::is_software(owner)) other = &sensor;
  }
  return other;
}

Sdr parse_sdr(std::string_view dump) {
  Sdr sdr;
  while (!dump.empty()) {
    sdr.too_many = sdr.sensors.size() >= Sdr::kMostSensors;
    if (sdr.too_many) break;
    if (dump.size() < kHeader) {
      sdr.broken = true;
      break;
    }
    const size_t length = kHeader + static_cast<uint8_t>(dump[4]);
    if (dump.size() < length) {
      sdr.broken = true;
      break;
    }
    take_record(static_cast<uint8_t>(dump[3]), Record(dump.substr(0, length)), sdr);
    dump.remove_prefix(length);
  }
  for (Sensor& sensor : sdr.sensors)
    while (sensor.name.ends_with(' ')) sensor.name.pop_back();
  for (auto& [id, locator] : sdr.frus)
    while (locator.name.ends_with(' ')) locator.name.pop_back();
  return sdr;
}

}  // namespace fmd::ipmi
