// Inventory: the machine's parts as the plugins describe them: resources with properties, and typed
// relations between them. Several plugins may describe one resource (disk: fmd-disk and fmd-smart);
// each owns what it sent. If several send one property, the owner's value applies (owners.h) and the
// others' are kept beside it as "said_by.PLUGIN.PROPERTY"; without an owner, the latest applies.
// Pure data; single thread. Returned pointers are valid until the next change.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/event.h"
#include "fmd/model/fmri_table.h"
#include "fmd/model/names.h"
#include "fmd/model/properties.h"

namespace fmd {

// contains: chassis → bay → disk;  path: HBA → expander → phy → disk;  power; cooling;
// redundancy: pool → vdev → leaf vdev → disk (what holds the data).
enum class Relation { contains, path, power, cooling, redundancy };
Result<Relation> parse_relation(std::string_view name);
std::string_view relation_name(Relation relation);

struct Edge {
  Relation relation;
  std::string to;  // FMRI, may name a resource not (yet) known
  bool operator==(const Edge&) const = default;
  auto operator<=>(const Edge&) const = default;
};

struct Resource {
  std::string fmri;
  std::string type;         // "disk", "bay", "enclosure", "zfs-pool", "zfs-vdev", "plugin", ...
  Properties properties;    // vocabulary: schemas/resources.md
  std::vector<Edge> edges;  // outgoing
  bool present = true;      // false: known from before, not seen now (pulled, exported)
  Names sources;

  std::string get(std::string_view property) const;                 // as text, "" when absent
  bool is(std::string_view property, std::string_view text) const;  // the same, compared
  // A processor's or core's label, as printed on the board; "" others, or unknown. Their `name` has
  // the kernel's numbers.
  std::string printed_name() const;
};
// A numeric property; fallback: it is absent or not a number.
int64_t number_in(const Resource& resource, std::string_view property, int64_t fallback);

// One plugin's inventory message (schemas/plugin-protocol.md § inventory).
struct InventoryUpdate {
  struct Gone {
    std::string fmri;
    // "removed" (not there now, may come back), "replaced", "detached", "destroyed"
    std::string reason;
    std::string replaced_by;  // FMRI, with "replaced"
  };
  std::string source;
  std::vector<Resource> resources;  // properties given replace that source's earlier ones wholly
  std::vector<Gone> gone;
  // A snapshot: the source's other resources are gone; reason "detached" if their container
  // (`redundancy`) is repeated without them, otherwise "removed".
  bool complete = false;
  bool merge = false;  // readings: the properties are added to this source's earlier ones
  // For a snapshot: FMRIs in earlier messages that are part of it.
  std::vector<std::string> kept = {};
};

struct InventoryChange {
  // absent: kept with present=false. measured: nothing but values that readings gave.
  enum class Kind { added, changed, measured, absent, removed };
  Kind kind;
  std::string fmri;
  std::string reason;  // of absent/removed
  std::string replaced_by;
  std::shared_ptr<const Resource> before{};
  bool is_new = false;  // of added: never known before

  // `removed`: the last known resource. If edges changed: the previous edges.
  const Resource& was() const;
};

// Takes out resources with new readings only: no engine looks at these.
std::vector<InventoryChange> pick_measured(std::vector<InventoryChange>& changes);

class Inventory {
  struct ByFmri {
    using is_transparent = void;
    bool operator()(const Resource* a, const Resource* b) const { return a->fmri < b->fmri; }
    bool operator()(const Resource* a, std::string_view b) const { return a->fmri < b; }
    bool operator()(std::string_view a, const Resource* b) const { return a < b->fmri; }
  };
  using InOrder = std::set<const Resource*, ByFmri>;

 public:
  // All resources by FMRI, with the interface of a std::map<std::string, Resource>.
  class All {
   public:
    class const_iterator {
     public:
      using iterator_category = std::forward_iterator_tag;
      using value_type = std::pair<const std::string&, const Resource&>;
      using difference_type = std::ptrdiff_t;
      using reference = value_type;
      struct pointer {
        value_type entry;
        const value_type* operator->() const { return &entry; }
      };

      const_iterator() = default;
      reference operator*() const { return {(*at_)->fmri, **at_}; }
      pointer operator->() const { return {**this}; }
      const_iterator& operator++() {
        ++at_;
        return *this;
      }
      const_iterator operator++(int) { return const_iterator(at_++); }
      bool operator==(const const_iterator&) const = default;

     private:
      friend class All;
      explicit const_iterator(InOrder::const_iterator at) : at_(at) {}
      InOrder::const_iterator at_;
    };
    const_iterator begin() const { return const_iterator(all_.begin()); }
    const_iterator end() const { return const_iterator(all_.end()); }
    const_iterator lower_bound(std::string_view fmri) const {
      return const_iterator(all_.lower_bound(fmri));
    }
    const_iterator upper_bound(std::string_view fmri) const {
      return const_iterator(all_.upper_bound(fmri));
    }
    size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }

   private:
    friend class Inventory;
    explicit All(const InOrder& all) : all_(all) {}
    const InOrder& all_;
  };

  Inventory() = default;
  Inventory(const Inventory& other);
  Inventory(Inventory&&) = default;
  Inventory& operator=(Inventory other) noexcept;
  // Applies one message; returns what really changed (nothing twice).
  std::vector<InventoryChange> apply(const InventoryUpdate& update);
  const Resource* find(std::string_view fmri) const;
  size_t told_by(std::string_view source) const;  // resources
  // The plugins that described this part. If some described its LED, only these and the acting plugin (owners.h).
  std::vector<std::string> described_by(std::string_view fmri) const;
  All all() const { return All(all_); }
  // Resources with an edge of that relation to fmri.
  std::vector<const Resource*> parents(std::string_view fmri, Relation relation) const;
  // First resource with that FMRI scheme reached downwards from fmri (itself included) along
  // relation.
  const Resource* descend(std::string_view fmri, Relation relation, std::string_view scheme) const;
  // The nearest ancestor, excluding itself; of two at the same distance a present one.
  const Resource* ascend(std::string_view fmri, Relation relation, std::string_view scheme) const;
  // The resource's own property, else that of the nearest ancestor along relation that has it.
  const Value* inherited(std::string_view fmri, Relation relation, std::string_view property) const;
  // hc path with what holds it: "hc://chassis=…/bay=3/disk=SERIAL"; the FMRI itself when nothing
  // holds it.
  std::string fru_path(std::string_view fmri) const;
  std::string fru_path(std::string_view fmri,
                       const Resource& holder) const;  // as if it were in that
  // The bay's label as printed on the machine ("SLOT 03"), "" if unknown.
  std::string location(std::string_view fmri) const;
  // A part by FMRI, bay label, "bay-3", serial, WWN, device name ("sdc", "/dev/sdc"), or as
  // ENCLOSURE/BAY ("5000c500fa0e5e50/bay-3", "Shelf A/SLOT 03"); all that match.
  std::vector<const Resource*> lookup(std::string_view name) const;
  // The same for exactly one part: an error if the name fits several of a type, which lists them
  // and says how to name one. No match is not an error.
  Result<std::vector<const Resource*>> meant(std::string_view name) const;

  static nlohmann::json to_json(const Resource& resource);
  // The same as text.
  static void append_json(const Resource& resource, std::string& out);
  static Result<Resource> resource_from_json(const nlohmann::json& doc);
  void restore(Resource resource);  // from the store, at start

  // Changes since the last call, one row per resource and source ("resource", "SOURCE FMRI").
  struct Row {
    std::string key, doc;  // doc empty: gone
  };
  std::vector<Row> take_changes();  // except mere readings
  // What was only measured: it comes again and again, so its rows are written some at a time, in turn. A
  // resource whose row is written for another reason, or about which something was decided
  // (write_out), has the latest values in it: a start decides as was decided.
  std::vector<Row> take_measured(size_t most);
  void write_out(std::string_view fmri);  // with the next take_changes()
  void write_out();                       // all
  bool has_measured() const { return !measured_.empty(); }
  std::vector<Row> rows_of(const std::string& fmri) const;
  void mark_all_changed();  // the next take_changes() returns every row
  Result<void> restore_row(const std::string& key, const std::string& doc);
  // Incremented with each real change: data derived from the inventory is valid while it is
  // unchanged.
  uint64_t generation() const { return generation_; }
  // Grows when something comes or goes, is of another type, or is tied to others in another way: not with a reading.
  uint64_t structure() const { return structure_; }

 private:
  using Source = uint32_t;  // its place in sources_
  // One source's report of one resource.
  struct Word {
    // nullptr: same as the merged resource, because there is no other source. Without FMRI and
    // sources, which the part has.
    std::unique_ptr<Resource> apart;
    uint64_t order = 0;  // of its last change: the later word wins
    Source source = 0;
    bool declared = false;  // by an inventory message, not by readings only
    bool changed = false;   // its row is in dirty_
    bool measured = false;  // not changed; its part is in measured_

    explicit Word(Source by) : source(by) {}
    Word(const Word& other);
    Word(Word&&) = default;
    Word& operator=(Word&&) = default;
    Word& operator=(const Word&) = delete;
  };
  // All about one FMRI. It stays where it is.
  struct Part {
    Resource merged;                // with the FMRI, whether known or not
    bool known = false;             // false: only others name it
    bool in_turn = false;           // it is in measured_
    std::vector<Word> words;        // no source twice
    std::vector<const Part*> tied;  // resources with an edge to it, by FMRI

    Word* by(Source source);
    const Word* by(Source source) const;
    const Resource& said(const Word& word) const { return word.apart ? *word.apart : merged; }
    Resource& apart(Word& word) const;  // rebuild() is to follow
    const std::string& fmri() const { return merged.fmri; }
  };
  struct Told {
    std::string source;
    size_t words = 0;
  };

  const Part* part(std::string_view fmri) const;
  Part* part(std::string_view fmri);
  Part& part_for(const std::string& fmri);
  void tidy(const Part& part);  // removes it if nothing is known any longer
  Source source_for(std::string_view name);
  std::optional<Source> known_source(std::string_view name) const;
  Word& word_for(Part& part, Source source);
  bool say(Part& part, Source source, const Resource& resource, bool merge);  // true: it is news
  std::optional<bool> measure(Source source, const Resource& reading);
  bool told_by_others(const Part& part, const Word& word, const Resource& reading) const;
  void to_be_written(Word& word, const std::string& fmri);
  void write_out(Part& part);
  Row row_of(Source source, std::string_view fmri, const Part* part) const;
  void forget(Source source, const InventoryUpdate::Gone& gone,
              std::vector<InventoryChange>& changes);
  bool unsay(Part& part, Source source, const InventoryUpdate::Gone& gone);
  std::vector<InventoryUpdate::Gone> not_repeated(Source source,
                                                  const InventoryUpdate& update) const;
  bool rebuild(Part& part);  // the merged resource; true when it changed
  Resource merge(Part& part) const;
  void dispute(const Part& part, Resource& merged) const;
  void link(const Part& part, bool on);
  std::string doc_of(const Part& part, const Word& word) const;
  std::vector<const Resource*> called(std::string_view name) const;
  std::vector<const Resource*> called_within(std::string_view name) const;
  std::string precise_name(const Resource& resource) const;

  FmriTable<Part> parts_;
  InOrder all_;  // of the parts those that are known
  std::vector<Told> sources_;
  std::vector<std::pair<Source, std::string>> dirty_;  // and FMRI
  InOrder measured_;        // not written since: rows that stand together in the store go together
  std::string written_to_;  // the FMRI of these that was last in turn
  uint64_t order_ = 0, generation_ = 0, structure_ = 0;
};

}  // namespace fmd
