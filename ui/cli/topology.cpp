#include "ui/cli/topology.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "fmd/core/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/surroundings.h"

namespace fmd::cli {
namespace {

constexpr size_t kMaxDepth = 16;

std::string scheme_of(std::string_view fmri) {
  return std::string(fmri.substr(0, fmri.find("://")));
}

// What a person looks for beside the FMRI: label, name, serial, device, state.
std::string summary(const Resource& r) {
  std::string text;
  for (const char* name :
       {"label", "name", "model", "serial", "path", "health", "state", "service"}) {
    const std::string value = r.get(name);
    if (value.empty() || (std::string_view(name) == "service" && value == "in-service")) continue;
    text += (text.empty() ? "" : "  ") + clean(value);
  }
  if (!r.present) text += text.empty() ? "not present" : "  (not present)";
  return text;
}

class Tree {
 public:
  Tree(const Inventory& inventory, const TopoOptions& options)
      : inventory_(inventory), options_(options) {}

  std::string all() {
    for (const auto& [fmri, resource] : inventory_.all())
      if (is_root(resource)) add(resource, 0);
    // What only a circle of relations holds still has to be seen.
    for (const auto& [fmri, resource] : inventory_.all())
      if (!shown_.contains(fmri)) add(resource, 0);
    return std::move(out_);
  }
  std::string below(const Resource& resource) {
    add(resource, 0);
    return std::move(out_);
  }

 private:
  const Inventory& inventory_;
  const TopoOptions& options_;
  std::set<std::string> shown_;
  std::string out_;

  bool is_root(const Resource& r) const {
    return inventory_.parents(r.fmri, Relation::contains).empty() &&
           inventory_.parents(r.fmri, Relation::redundancy).empty();
  }

  void add(const Resource& r, size_t depth) {
    const bool again = !shown_.insert(r.fmri).second;
    const bool wanted = options_.scheme.empty() || scheme_of(r.fmri) == options_.scheme;
    if (wanted) line(r, depth, again);
    if (again || depth >= kMaxDepth) return;  // a disk is held by a bay and by a vdev
    std::set<std::string> children;
    for (const Edge& edge : r.edges)
      if (edge.relation == Relation::contains || edge.relation == Relation::redundancy)
        children.insert(edge.to);
    for (const std::string& child : children)
      if (const Resource* found = inventory_.find(child)) add(*found, depth + (wanted ? 1 : 0));
  }

  void line(const Resource& r, size_t depth, bool again) {
    const std::string head = std::string(depth * 2, ' ') + clean(r.fmri), text = summary(r);
    // Beside the FMRI when there is room, else below it.
    if (columns(head) + 2 + columns(text) <= kWidth)
      out_ += head + (text.empty() ? "" : "  " + text) + '\n';
    else
      out_ += head + '\n' + wrapped(std::string(depth * 2 + 4, ' '), text, depth * 2 + 4);
    if (!options_.properties || again) return;
    for (const auto& [name, value] : r.properties)
      out_ += std::string(depth * 2 + 4, ' ') + pad(clean(name), 18) + " = " +
              clean(to_text(value)) + '\n';
  }
};

}  // namespace

Result<void> topology(Client& client, const TopoOptions& options) {
  nlohmann::json filter = nlohmann::json::object();
  if (options.json && !options.scheme.empty()) filter["scheme"] = options.scheme;
  auto list = client.query("ListResources", filter);
  if (!list) return tl::unexpected(list.error());
  Surroundings around;
  if (auto added = around.add_resources(*list); !added) return tl::unexpected(added.error());
  if (options.part.empty()) {
    if (options.json) return print(json_text(*list));
    const std::string text = Tree(around.inventory, options).all();
    return print(text.empty() ? "Nothing is known yet.\n" : text);
  }
  const auto found = around.inventory.lookup(options.part);
  if (found.empty())
    return fail("nothing is known as \"" + clean(options.part) +
                "\"; fmtopo without arguments shows everything");
  nlohmann::json docs = nlohmann::json::array();
  std::string text;
  for (const Resource* resource : found) {
    docs.push_back(Inventory::to_json(*resource));
    text += Tree(around.inventory, options).below(*resource);
  }
  return print(options.json ? json_text(docs) : text);
}

}  // namespace fmd::cli
