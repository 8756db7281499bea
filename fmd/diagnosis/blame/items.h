// Items: the evidence of the inference. An item is one thing that is wrong with one part: its
// path fails, or it returns wrong data. Later signs of the same kind change the item's flags and
// add no second one. Therefore a conclusion of ZED or the kernel counts once, together with the
// errors that led to it.
//
// Bounded: at most two items a part (one for each way) and kMost in all. Further ones are refused
// and counted; Blame removes ended items before that.
// Pure; times are steady ns. Part of Blame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fmd::blame {

enum class Way : uint8_t {
  path,  // it fails or is lost
  data,  // it returns wrong data
};

struct Sign {
  bool hard = false;     // a finding about the part, lost contact, given up by the kernel or ZFS
  bool left = false;     // it left the bus
  bool own = false;      // only the part itself can cause it: unreadable sectors, its SMART status
  bool scan = false;     // found by a scrub or resilver: the damage may be old
  bool link = false;     // failed transfers
  bool undated = false;  // it began at an unknown time, before fmd looked
};

struct Item {
  std::string part;
  Way way = Way::path;
  int64_t onset_ns = 0;  // the first sign; once hard, the first hard one
  int64_t last_ns = 0;   // the latest sign, within Items::kRefresh; not kept up once hard
  std::optional<int64_t> end_ns;
  bool hard = false, left = false, own = false, link = false;
  bool undated = false;  // all signs are
  bool scan = true;      // all signs are
  uint8_t signs = 0;     // at most Items::kMany

  // Single errors of a part accuse nothing: reads are retried and links recover.
  bool counts() const;
  // By onset; the part's name breaks ties between items that are equal as evidence.
  bool is_before(const Item& other) const;
  // Its evidence ends after this time; nullopt: hard, and not over.
  std::optional<int64_t> expires_ns(int64_t kept_ns) const;
};

class Items {
 public:
  using Key = std::pair<std::string, Way>;
  using View = std::pair<std::string_view, Way>;  // of a key, for look-ups without a copy
  struct Less {
    using is_transparent = void;
    bool operator()(const View& a, const View& b) const { return a < b; }
  };
  using All = std::map<Key, Item, Less>;
  static constexpr size_t kMost = 20'000;
  static constexpr uint8_t kMany = 4;
  static constexpr int64_t kRefresh = 600'000'000'000;  // of last_ns
  static constexpr int64_t kDay = 86'400'000'000'000;   // an item counts after its last sign
  static constexpr int64_t kKeptForBay = 90 * 86'400'000'000'000;  // ended hard ones

  enum class Change { none, expiry, evidence };  // expiry: it only lasts longer
  Change sign(const std::string& part, Way way, const Sign& sign, int64_t now_ns);
  bool withdraw(const std::string& part, Way way);  // a sign of one that has no hard one
  bool over(const std::string& part, Way way, int64_t now_ns);
  bool forget(const std::string& part, Way way);
  void restore(Item item);
  bool expire(int64_t now_ns);  // removes items whose evidence has ended; true if any
  bool is_full() const { return items_.size() >= kMost; }
  std::optional<Key> make_room();  // removes the item that ended first, if any

  const All& all() const { return items_; }
  const Item* find(std::string_view part, Way way) const;
  size_t refused() const { return refused_; }
  // Added, changed or removed since the last call.
  std::set<Key> take_changed() { return std::exchange(changed_, {}); }
  void mark_changed(const Key& key) { changed_.insert(key); }
  void mark_all_changed();

 private:
  void erase(All::iterator at);

  All items_;
  std::set<Key> changed_;
  size_t refused_ = 0;
  int64_t next_expiry_ns_ = INT64_MAX;  // no item expires before
};

}  // namespace fmd::blame
