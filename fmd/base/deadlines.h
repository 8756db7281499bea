// Deadlines: a queue of keys by due time, for holds, quiet cases and retries with back-off. Uses
// the steady clock (moment.h), so a step of the wall clock neither ends nor extends a wait. Pure;
// the caller stores the keys and their meaning.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace fmd {

template <class Key>
class Deadlines {
 public:
  void set(const Key& key, int64_t at_ns) {  // replaces the key's earlier deadline
    const auto [known, is_new] = by_key_.try_emplace(key, at_ns);
    if (!is_new) {
      if (known->second == at_ns) return;
      queue_.erase({known->second, key});
      known->second = at_ns;
    }
    queue_.insert({at_ns, key});
  }

  bool erase(const Key& key) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) return false;
    queue_.erase({known->second, known->first});
    by_key_.erase(known);
    return true;
  }

  std::optional<int64_t> at(const Key& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? std::nullopt : std::optional(known->second);
  }

  std::optional<int64_t> next() const {
    return queue_.empty() ? std::nullopt : std::optional(queue_.begin()->first);
  }

  // Removes and returns the earliest due key (at or before now); of equal times the lesser key.
  // Only one, since its handling may set or erase others.
  std::optional<Key> take_due(int64_t now_ns) {
    if (queue_.empty() || queue_.begin()->first > now_ns) return {};
    Key key = queue_.begin()->second;
    erase(key);
    return key;
  }

  bool empty() const { return queue_.empty(); }
  size_t size() const { return queue_.size(); }
  const std::map<Key, int64_t>& all() const { return by_key_; }

 private:
  std::map<Key, int64_t> by_key_;
  std::set<std::pair<int64_t, Key>> queue_;
};

}  // namespace fmd
