#include "fmd/reconcile/places.h"

#include <functional>
#include <utility>

namespace fmd {
namespace {

size_t mixed(size_t hash, size_t more) {
  return hash ^ (more + 0x9e3779b97f4a7c15U + (hash << 6) + (hash >> 2));
}

// Numbers are measured, but for sizes: of the disk, and of its sectors.
bool is_measured(std::string_view name, const Value& value) {
  const bool number = std::holds_alternative<int64_t>(value) ||
                      std::holds_alternative<uint64_t>(value) ||
                      std::holds_alternative<double>(value);
  return number && !name.ends_with("_bytes");
}

size_t hash_of(const Resource& r) {
  size_t hash = mixed(std::hash<std::string>()(r.type), r.present);
  for (const auto& [name, value] : r.properties)
    if (!is_measured(name, value))
      hash = mixed(mixed(hash, std::hash<std::string>()(name)), std::hash<Value>()(value));
  for (const Edge& edge : r.edges)
    hash =
        mixed(mixed(hash, static_cast<size_t>(edge.relation)), std::hash<std::string>()(edge.to));
  return hash;
}

}  // namespace

bool Places::changed(const Resource& r) {
  const size_t now = hash_of(r);
  const auto [at, first] = known_.try_emplace(key_of(r.fmri), now);
  return first || std::exchange(at->second, now) != now;
}

}  // namespace fmd
