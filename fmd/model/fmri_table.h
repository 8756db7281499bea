// FmriTable: a hash table from FMRI to an entry with a stable address. An open table: most work on
// a part begins with a look-up, mostly outside the processor's cache. std::unordered_map needs
// twice as many memory accesses and three times the memory.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace fmd {

// An Entry has an fmri() that stays the same.
template <class Entry>
class FmriTable {
 public:
  Entry* find(std::string_view fmri) const {
    if (slots_.empty()) return nullptr;
    const size_t hash = hash_of(fmri);
    for (size_t at = place(hash); slots_[at].entry; at = after(at))
      if (slots_[at].hash == hash && slots_[at].entry->fmri() == fmri)
        return slots_[at].entry.get();
    return nullptr;
  }

  Entry& add(std::unique_ptr<Entry> fresh) {  // of an FMRI that it does not have yet
    if ((++size_) * 4 > slots_.size() * 3) grow();
    const size_t hash = hash_of(fresh->fmri());
    return *put({hash, std::move(fresh)});
  }

  void erase(const Entry& gone) {
    size_t hole = place(hash_of(gone.fmri()));
    while (slots_[hole].entry.get() != &gone) hole = after(hole);
    slots_[hole].entry.reset();
    --size_;
    // Moves up the following entries that would no longer be found.
    for (size_t at = after(hole); slots_[at].entry; at = after(at)) {
      const size_t from_home = (at - place(slots_[at].hash)) & (slots_.size() - 1);
      if (from_home < ((at - hole) & (slots_.size() - 1))) continue;
      slots_[hole] = std::move(slots_[at]);
      hole = at;
    }
  }

 private:
  struct Slot {
    size_t hash = 0;
    std::unique_ptr<Entry> entry;  // nullptr: none
  };

  static size_t hash_of(std::string_view fmri) { return std::hash<std::string_view>{}(fmri); }
  size_t place(size_t hash) const { return hash & (slots_.size() - 1); }
  size_t after(size_t at) const { return place(at + 1); }

  Entry* put(Slot slot) {
    size_t at = place(slot.hash);
    while (slots_[at].entry) at = after(at);
    slots_[at] = std::move(slot);
    return slots_[at].entry.get();
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.entry) put(std::move(slot));
  }

  std::vector<Slot> slots_;  // a power of two of them
  size_t size_ = 0;
};

}  // namespace fmd
