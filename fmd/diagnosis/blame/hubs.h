// Hubs: what parts share and could fail by: an HBA, expander or bridge on their path, an enclosure,
// a bay with its successive disks, the whole machine. Hubs of one class with the same parts are one
// hypothesis: no evidence can tell a cable from the expander behind it. It is named by the lowest,
// and lists the others.
//
// Built from a Layout, which names each part and what is above it. Bounded: kMostAbove hubs a part,
// the nearest first. Pure; part of Blame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmd/base/text_hash.h"

namespace fmd::blame {

enum class HubKind : uint8_t { path, enclosure, bay, machine };

struct Layout {
  struct Above {
    std::string name;
    HubKind kind = HubKind::path;
  };
  struct Part {
    std::string name;
    std::string disk = {};          // for one of several paths: the disk it leads to; "": it is one
    std::vector<Above> above = {};  // nearest first
    std::string model = {};         // "": unknown
    std::string group = {};         // of redundancy; "": none
    size_t tolerance = 0;           // how many more parts its group can lose
    bool used = true;               // false: nothing reads it, so its silence means nothing
    bool bay_tells = false;         // its bay would report that it is empty
  };
  std::vector<Part> parts;
};

class Hubs {
 public:
  static constexpr size_t kMostAbove = 16;
  using Id = uint32_t;
  static constexpr Id kNone = UINT32_MAX;

  struct Part {
    std::string name;
    Id disk = kNone;             // itself, or the disk that this path leads to
    std::vector<Id> hubs = {};   // without the machine
    std::vector<Id> paths = {};  // of a disk: the parts that lead to it
    Id model = kNone, group = kNone;
    bool used = true, bay_tells = false;
  };
  struct Hub {
    HubKind kind = HubKind::path;
    std::vector<std::string> names = {};  // lowest first
    std::vector<Id> parts = {};           // sorted
    std::vector<Id> disks = {};           // that these are or lead to, sorted
  };
  struct Group {
    std::string name;
    size_t tolerance = 0;
  };

  Hubs() = default;
  explicit Hubs(const Layout& layout);

  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<Hub>& hubs() const { return hubs_; }
  Id part(std::string_view name) const;  // kNone: unknown
  Id machine() const { return machine_; }
  // No disk has anything but its bay and the machine above it.
  bool is_blind() const { return blind_; }
  const Group& group(Id id) const { return groups_[id]; }
  size_t of_model(Id model) const { return model_sizes_[model]; }

 private:
  using Ids = std::unordered_map<std::string, Id, TextHash, std::equal_to<>>;
  void add_parts(const Layout& layout, Ids& models, Ids& groups);
  void add_hubs(const Layout& layout);

  std::vector<Part> parts_;
  std::vector<Hub> hubs_;
  std::vector<Group> groups_;
  std::vector<size_t> model_sizes_;
  Ids ids_;
  Id machine_ = kNone;
  bool blind_ = true;
};

}  // namespace fmd::blame
