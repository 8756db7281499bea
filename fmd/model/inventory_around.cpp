#include "fmd/model/inventory_around.h"

#include <string_view>
#include <utility>

namespace fmd {
namespace {

// Follows the edges down from the given parts to their disks, and up from all of these to their
// containers. Other parts of a container are left out.
class Around {
 public:
  explicit Around(const Inventory& inventory) : inventory_(inventory) {}

  void add(std::string_view fmri) {
    // A vdev's FMRI begins with its pool's, which may know it no longer.
    if (const size_t vdev = fmri.find("/vdev="); vdev != fmri.npos)
      above_.emplace_back(fmri.substr(0, vdev));
    const Resource* r = inventory_.find(fmri);
    if (!r || !meant_.insert(r->fmri).second) return;
    below_.push_back(r);
    // A part in its place, such as a spare.
    for (const auto& [name, value] : r->properties)
      if (const auto* text = std::get_if<std::string>(&value))
        if (const Resource* other = inventory_.find(*text)) below_.push_back(other);
  }

  std::set<std::string, std::less<>> all() && {
    std::set<std::string, std::less<>> down;
    while (!below_.empty()) {
      const Resource* r = std::exchange(below_.back(), nullptr);
      below_.pop_back();
      if (!down.insert(r->fmri).second) continue;
      above_.push_back(r->fmri);
      for (const Edge& edge : r->edges)
        if (const Resource* part = inventory_.find(edge.to)) below_.push_back(part);
    }
    while (!above_.empty()) {
      const std::string fmri = std::move(above_.back());
      above_.pop_back();
      if (!inventory_.find(fmri) || !found_.insert(fmri).second) continue;
      for (const Relation relation : {Relation::contains, Relation::redundancy, Relation::path})
        for (const Resource* holder : inventory_.parents(fmri, relation))
          above_.push_back(holder->fmri);
      // A path is where its disk is.
      const Resource* r = inventory_.find(fmri);
      if (r->type != "path" && r->type != "phy") continue;
      for (const Edge& edge : r->edges)
        if (edge.relation == Relation::path) above_.push_back(edge.to);
    }
    return std::move(found_);
  }

 private:
  const Inventory& inventory_;
  std::set<std::string, std::less<>> meant_, found_;
  std::vector<const Resource*> below_;
  std::vector<std::string> above_;
};

}  // namespace

std::set<std::string, std::less<>> around(const Inventory& inventory,
                                          const std::vector<std::string>& parts) {
  Around around(inventory);
  for (const std::string& fmri : parts) around.add(fmri);
  return std::move(around).all();
}

}  // namespace fmd
