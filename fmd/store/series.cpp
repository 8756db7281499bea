#include "fmd/store/series.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "fmd/store/varint.h"

namespace fmd::store {

namespace {

// Formats of values: whole numbers, thousandths, or the bits of a double.
enum class Kept : unsigned char { whole = 0, thousandths = 1, bits = 2 };
constexpr double kExact = 9007199254740992.0;  // 2^53: smaller whole numbers are exact

double scale_of(Kept kept) {
  return kept == Kept::thousandths ? 1000.0 : 1.0;
}

// Whether the number is restored exactly.
bool fits(double value, Kept kept) {
  const double scaled = std::round(value * scale_of(kept));
  return std::abs(scaled) < kExact && scaled / scale_of(kept) == value;
}

Kept kept_as(const double* values, size_t count) {
  for (const Kept kept : {Kept::whole, Kept::thousandths})
    if (std::all_of(values, values + count, [kept](double v) { return fits(v, kept); }))
      return kept;
  return Kept::bits;
}

// Unsigned arithmetic wraps in both directions, so no difference is too large.
void put_values(const double* values, size_t count, Kept kept, std::string& out) {
  uint64_t before = 0;
  for (size_t i = 0; i < count; ++i) {
    if (kept == Kept::bits) {
      const auto bits = std::bit_cast<uint64_t>(values[i]);
      for (unsigned byte = 0; byte < 8; ++byte) out += static_cast<char>(bits >> (8 * byte));
      continue;
    }
    const auto now = static_cast<uint64_t>(std::llround(values[i] * scale_of(kept)));
    put_varint(zigzag(now - before), out);
    before = now;
  }
}

bool take_values(std::string_view& from, uint64_t count, Kept kept, std::vector<double>& out) {
  uint64_t now = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (kept == Kept::bits) {
      if (from.size() < 8) return false;
      uint64_t bits = 0;
      for (unsigned byte = 0; byte < 8; ++byte)
        bits |= static_cast<uint64_t>(static_cast<unsigned char>(from[byte])) << (8 * byte);
      from.remove_prefix(8);
      out.push_back(std::bit_cast<double>(bits));
      continue;
    }
    uint64_t step = 0;
    if (!take_varint(from, step)) return false;
    now += unzigzag(step);
    out.push_back(static_cast<double>(static_cast<int64_t>(now)) / scale_of(kept));
  }
  return true;
}

Result<void> no_block() {
  return fail("it is no block of readings");
}

}  // namespace

void Points::sort() {
  if (std::is_sorted(times_ms.begin(), times_ms.end())) return;
  std::vector<size_t> order(size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](size_t a, size_t b) { return times_ms[a] < times_ms[b]; });
  Points sorted;
  for (const size_t i : order) sorted.add(times_ms[i], values[i]);
  *this = std::move(sorted);
}

void SeriesWriter::add(std::string_view resource, std::string_view name, std::string_view unit,
                       const Points& points, size_t first, size_t count) {
  record_.clear();
  put_text(resource == resource_ ? std::string_view() : resource, record_);
  put_text(name, record_);
  put_text(unit, record_);
  put_varint(count, record_);
  const double* values = points.values.data() + first;
  const Kept kept = kept_as(values, count);
  record_ += static_cast<char>(kept);
  uint64_t before = 0, step_before = 0;
  for (size_t i = first; i < first + count; ++i) {
    const auto now = static_cast<uint64_t>(points.times_ms[i]);
    const uint64_t step = now - before;
    put_varint(zigzag(step - step_before), record_);
    // The first difference is the time itself, so the second one starts from 0.
    step_before = i == first ? 0 : step;
    before = now;
  }
  put_values(values, count, kept, record_);
  put_varint(record_.size(), bytes_);
  bytes_ += record_;
  resource_ = resource;
}

void SeriesWriter::clear() {
  bytes_.clear();
  resource_.clear();
}

Result<bool> SeriesReader::next() {
  if (rest_.empty()) return false;
  std::string_view record, resource;
  if (!take_text(rest_, record) || !take_text(record, resource) || !take_text(record, name_) ||
      !take_text(record, unit_) || !take_varint(record, count_) || count_ > record.size())
    return tl::unexpected(no_block().error());
  if (!resource.empty()) resource_ = resource;
  columns_ = record;
  return true;
}

Result<void> SeriesReader::append_points(Points& out) const {
  std::string_view from = columns_;
  if (from.empty() || static_cast<unsigned char>(from.front()) > 2) return no_block();
  const auto kept = static_cast<Kept>(from.front());
  from.remove_prefix(1);
  const size_t already = out.size();
  uint64_t now = 0, step = 0;
  for (uint64_t i = 0; i < count_; ++i) {
    uint64_t difference = 0;
    if (!take_varint(from, difference)) break;
    step += unzigzag(difference);
    now += step;
    if (i == 0) step = 0;
    out.times_ms.push_back(static_cast<int64_t>(now));
  }
  const bool whole =
      out.size() == already + count_ && take_values(from, count_, kept, out.values) && from.empty();
  if (whole) return {};
  out.times_ms.resize(already);
  out.values.resize(already);
  return no_block();
}

}  // namespace fmd::store
