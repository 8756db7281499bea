#include "fmd/model/names.h"

#include <algorithm>
#include <functional>

namespace fmd {
namespace {

constexpr size_t kRememberedLists = 128;   // lists made last
constexpr size_t kLongestList = 16 << 10;  // bytes; lists that are refused later are read as well

}  // namespace

const Shared<Names::List>& Names::none() {
  static const Shared<List> list;
  return list;
}

Names::Names(std::vector<std::string_view> names) : Names() {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  *this = of(names);
}

Names Names::of(const std::vector<std::string_view>& in_order) {
  static thread_local std::vector<Shared<List>> remembered(kRememberedLists, none());
  size_t hash = 0, bytes = 0;
  for (const std::string_view name : in_order) {
    hash = hash * 31 + std::hash<std::string_view>{}(name);
    bytes += sizeof(std::string) + name.size();
  }
  Shared<List>& known = remembered[hash % kRememberedLists];
  if (known->hash == hash &&
      std::equal(known->names.begin(), known->names.end(), in_order.begin(), in_order.end()))
    return Names(known);
  Shared<List> made(List{{in_order.begin(), in_order.end()}, hash});
  if (bytes <= kLongestList) known = made;
  return Names(std::move(made));
}

size_t Names::place_of(std::string_view name) const {
  const auto& all = list_->names;
  return static_cast<size_t>(
      std::lower_bound(all.begin(), all.end(), name,
                       [](const std::string& a, std::string_view b) { return a < b; }) -
      all.begin());
}

void Names::insert(std::string_view name) {
  const size_t at = place_of(name);
  if (at < size() && (*this)[at] == name) return;
  std::vector<std::string_view> all(begin(), end());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), name);
  *this = of(all);
}

void Names::erase(std::string_view name) {
  std::vector<std::string_view> all(begin(), end());
  std::erase(all, name);
  *this = of(all);
}

}  // namespace fmd
