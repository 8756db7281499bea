#include "fmd/store/block_names.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "fmd/store/checksum.h"
#include "fmd/store/journal_line.h"

namespace fmd::store {

namespace {

constexpr size_t kMostClasses = 32;
// With these, one in fifty look-ups of a resource is a false positive.
constexpr size_t kBitsEach = 8;
constexpr int kHashes = 4;

// FNV-1a. It is stored, so it must never change.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// Calls fn with the bits of one resource among `bits` (a power of two).
template <class Fn>
void each_bit(std::string_view resource, size_t bits, Fn fn) {
  const uint64_t hash = hash_of(resource), step = (hash >> 32) | 1;
  for (uint64_t i = 0; i < kHashes; ++i) fn(static_cast<size_t>((hash + i * step) & (bits - 1)));
}

std::string bits_of(const std::set<std::string_view>& resources) {
  const size_t bits = std::bit_ceil(std::max<size_t>(8, resources.size() * kBitsEach));
  std::string out(bits / 8, '\0');
  for (const std::string_view resource : resources)
    each_bit(resource, bits, [&](size_t bit) {
      out[bit / 8] = static_cast<char>(out[bit / 8] | (1 << (bit % 8)));
    });
  return out;
}

std::string sum_of(std::string_view classes, std::string_view resources) {
  const uint64_t sum = checksum(resources, checksum(classes));
  std::string out(sizeof sum, '\0');
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<char>(sum >> (8 * i));
  return out;
}

}  // namespace

std::optional<BlockNames> names_of(std::string_view lines) {
  std::set<std::string_view> classes, resources;
  LineHead head;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    if (!peek(lines.substr(at, end - at), head)) return {};
    classes.insert(head.event_class);
    resources.insert(head.resource);
    at = end + 1;
  }
  BlockNames names;
  if (classes.size() <= kMostClasses)
    for (const std::string_view name : classes) names.classes.append(name).append("\n");
  names.resources = bits_of(resources);
  return names;
}

bool may_have_class(std::string_view classes, const ClassGlob& glob) {
  if (classes.empty()) return true;
  for (size_t at = 0; at < classes.size();) {
    const size_t end = std::min(classes.find('\n', at), classes.size());
    if (glob.matches(classes.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool may_have_resource(std::string_view resources, std::string_view resource) {
  if (resources.empty() || !std::has_single_bit(resources.size())) return true;
  bool all = true;
  each_bit(resource, resources.size() * 8, [&](size_t bit) {
    all = all && ((static_cast<unsigned char>(resources[bit / 8]) >> (bit % 8)) & 1) != 0;
  });
  return all;
}

std::string kept_resources(const BlockNames& names) {
  return names.resources + sum_of(names.classes, names.resources);
}

std::optional<std::string_view> read_resources(std::string_view classes, std::string_view kept) {
  if (kept.size() < sizeof(uint64_t)) return {};
  const std::string_view resources = kept.substr(0, kept.size() - sizeof(uint64_t));
  if (kept.substr(resources.size()) != sum_of(classes, resources)) return {};
  return resources;
}

}  // namespace fmd::store
