#include "ui/cli/topology_graph.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

struct Asked {
  Relation relation;
  std::string_view words, color;  // for the graph
};
constexpr std::array<Asked, 5> kAsked{{{Relation::path, "Reached through", "blue"},
                                       {Relation::contains, "Sits in", "black"},
                                       {Relation::power, "Powered by", "red"},
                                       {Relation::cooling, "Cooled by", "darkgreen"},
                                       {Relation::redundancy, "Its data belongs to", "purple"}}};

struct Ancestor {
  const Resource* part;
  size_t distance;  // 1: directly
};

// last: the last container of the first part, if nothing contains it now.
std::vector<Ancestor> closure(const Inventory& inventory, const std::vector<std::string>& from,
                              Relation relation, const Resource* last = nullptr) {
  std::vector<Ancestor> out;
  if (last && relation == Relation::contains) out.push_back({last, 1});
  std::set<std::string> seen(from.begin(), from.end());
  const auto add = [&](const std::string& fmri, size_t distance) {
    for (const Resource* r : inventory.parents(fmri, relation))
      if (seen.insert(r->fmri).second) out.push_back({r, distance});
  };
  for (const std::string& fmri : from) add(fmri, 1);
  for (size_t i = 0; i < out.size(); ++i) add(out[i].part->fmri, out[i].distance + 1);
  return out;
}

// Power and cooling belong to a shelf, so its contents depend on them as well.
std::vector<Ancestor> ancestors(const Inventory& inventory, const Resource& r, Relation relation,
                                const Resource* last = nullptr) {
  std::vector<std::string> from{r.fmri};
  if (relation == Relation::power || relation == Relation::cooling)
    for (const Ancestor& holder : closure(inventory, from, Relation::contains, last))
      from.push_back(holder.part->fmri);
  return closure(inventory, from, relation, last);
}

// The last bay of a disk that is in none now; nullptr: unknown.
Result<const Resource*> last_place(Client& client, const Inventory& inventory, const Resource& r) {
  const Resource* none = nullptr;
  if (r.present || !inventory.parents(r.fmri, Relation::contains).empty()) return none;
  const auto stays = ui::fetch_stays(client, r.fmri);
  if (!stays) return tl::unexpected(stays.error());
  const ui::Stay* latest = nullptr;
  for (const ui::Stay& stay : *stays)
    if (stay.disk == r.fmri && (!latest || stay.from_ns > latest->from_ns)) latest = &stay;
  return latest ? inventory.find(latest->bay) : none;
}

std::string one_line(const Resource& r) {
  const std::string name = part_name(r), rest = part_summary(r);
  return (name.empty() ? "" : name + "  ") + clean(r.fmri) + (rest.empty() ? "" : "  " + rest);
}

std::string why(const Inventory& inventory, const Resource& r, const Resource* last) {
  std::string out = one_line(r) + '\n';
  for (const Asked& asked : kAsked) {
    const std::vector<Ancestor> above = ancestors(inventory, r, asked.relation, last);
    const bool was = last && asked.relation == Relation::contains;
    out += fmt::format("  {}:{}\n", was ? "Sat in, when it was last seen" : asked.words,
                       above.empty() ? " unknown" : "");
    for (const Ancestor& one : above) {
      const size_t indent = 2 + 2 * std::min<size_t>(one.distance, 8);
      const std::string head(indent, ' '), text = one_line(*one.part);
      out += columns(head) + columns(text) <= width() ? head + text + '\n'
                                                      : wrapped(head, text, indent + 4, width());
    }
  }
  return out;
}

nlohmann::json why_json(const Inventory& inventory, const Resource& r, const Resource* last) {
  nlohmann::json doc{{"fmri", r.fmri}, {"ancestors", nlohmann::json::array()}};
  if (last) doc["last_bay"] = last->fmri;
  for (const Asked& asked : kAsked)
    for (const Ancestor& one : ancestors(inventory, r, asked.relation, last))
      doc["ancestors"].push_back({{"relation", relation_name(asked.relation)},
                                  {"fmri", one.part->fmri},
                                  {"type", one.part->type},
                                  {"distance", one.distance},
                                  {"present", one.part->present}});
  return doc;
}

// In a DOT string, quotes must be escaped, and therefore backslashes.
std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : clean(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// The parts with everything above and below them; without parts, everything.
std::set<std::string> drawn(const Inventory& inventory, const std::vector<const Resource*>& parts) {
  std::set<std::string> out;
  for (const Resource* part : parts) {
    out.insert(part->fmri);
    for (const Asked& asked : kAsked)
      for (const Ancestor& one : ancestors(inventory, *part, asked.relation))
        out.insert(one.part->fmri);
    std::vector<const Resource*> open{part};
    while (!open.empty()) {
      const Resource* r = open.back();
      open.pop_back();
      for (const Edge& edge : r->edges)
        if (const Resource* next = inventory.find(edge.to); next && out.insert(edge.to).second)
          open.push_back(next);
    }
  }
  return out;
}

// A bay stands for the disk in it.
std::vector<const Resource*> asked_of(const Inventory& inventory, const Resource& part) {
  std::vector<const Resource*> disks;
  for (const Edge& edge : part.edges) {
    const Resource* disk = part.type == "bay" && edge.relation == Relation::contains
                               ? inventory.find(edge.to)
                               : nullptr;
    if (disk && disk->present && disk->type == "disk") disks.push_back(disk);
  }
  return disks.empty() ? std::vector<const Resource*>{&part} : disks;
}

}  // namespace

Result<void> print_why(Client& client, const Inventory& inventory, const TopoOptions& options) {
  const auto parts = parts_meant(inventory, options);
  if (!parts) return tl::unexpected(parts.error());
  std::string text;
  nlohmann::json docs = nlohmann::json::array();
  for (const Resource* meant : *parts)
    for (const Resource* part : asked_of(inventory, *meant)) {
      const auto last = last_place(client, inventory, *part);
      if (!last) return tl::unexpected(last.error());
      text += why(inventory, *part, *last);
      docs.push_back(why_json(inventory, *part, *last));
    }
  return print(options.json ? json_text(docs) : text);
}

Result<void> print_graph(const Inventory& inventory, const TopoOptions& options) {
  std::set<std::string> shown;
  if (!options.part.empty()) {
    const auto parts = parts_meant(inventory, options);
    if (!parts) return tl::unexpected(parts.error());
    shown = drawn(inventory, *parts);
  }
  const auto is_shown = [&](const std::string& fmri) {
    return inventory.find(fmri) && (options.part.empty() || shown.contains(fmri));
  };
  std::string text = "digraph fmd {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n";
  for (const auto& [fmri, r] : inventory.all()) {
    if (!is_shown(fmri)) continue;
    const std::string name = part_name(r);
    text += fmt::format("  {} [label={}{}];\n", dot_string(fmri),
                        dot_string(r.type + " " + (name.empty() ? fmri : name)),
                        r.present ? "" : ", style=dashed");
  }
  for (const auto& [fmri, r] : inventory.all())
    for (const Edge& edge : r.edges) {
      if (!is_shown(fmri) || !is_shown(edge.to)) continue;
      const auto* asked = std::find_if(kAsked.begin(), kAsked.end(), [&](const Asked& one) {
        return one.relation == edge.relation;
      });
      text += fmt::format("  {} -> {} [color={}, tooltip={}];\n", dot_string(fmri),
                          dot_string(edge.to), asked->color, relation_name(edge.relation));
    }
  return print(text + "}\n");
}

}  // namespace fmd::cli
