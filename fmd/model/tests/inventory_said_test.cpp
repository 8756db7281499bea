// What several plugins say of the same parts, against a plain merge, and against what a restart makes of the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/model/inventory.h"

namespace fmd::said_test {
namespace {

Resource of(const std::string& fmri, const std::string& type) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  return r;
}

std::string shown(const Inventory& inventory) {
  std::string out;
  for (const auto& [fmri, r] : inventory.all()) out += Inventory::to_json(r).dump() + "\n";
  return out;
}

// Who has an edge to which part, found by looking at all.
std::string tied(const Inventory& inventory, bool by_asking) {
  std::string out;
  for (int n = 0; n < 3; ++n) {
    const std::string part = "dev://wwn=" + std::to_string(n);
    std::set<std::string> from;
    if (by_asking) {
      for (const Resource* r : inventory.parents(part, Relation::redundancy)) from.insert(r->fmri);
    } else {
      for (const auto& [fmri, r] : inventory.all())
        for (const Edge& edge : r.edges)
          if (edge.to == part) from.insert(fmri);
    }
    for (const std::string& fmri : from) out += fmri + " to " + part + "\n";
  }
  return out;
}

// What three plugins say of three parts, in any order.
class Tellers {
 public:
  size_t one_of(int count) {
    return static_cast<size_t>(std::uniform_int_distribution<int>(0, count - 1)(random_));
  }

  InventoryUpdate next() {
    InventoryUpdate told;
    told.source = std::string(1, static_cast<char>('a' + one_of(3)));
    const std::string fmri = part();
    told.merge = one_of(4) > 0;
    if (one_of(10) == 0) {
      told.gone.push_back({fmri, one_of(2) ? "removed" : "destroyed", ""});
      return told;
    }
    Resource said = of(fmri, told.merge ? "" : one_of(30) ? "disk" : "vdev");
    if (!told.merge) {
      said.present = one_of(3) > 0;
      if (one_of(2) > 0) said.edges = {{Relation::redundancy, part()}};
    }
    for (size_t n = one_of(3) + 1; n > 0; --n)
      said.properties[(one_of(8) ? told.source : "") + "tuvw"[one_of(4)]] =
          int64_t{static_cast<int>(one_of(5))};
    told.resources = {said};
    return told;
  }

 private:
  std::string part() { return "dev://wwn=" + std::to_string(one_of(3)); }
  std::mt19937 random_{16};
};

// What is changed in place is what a start makes of the rows: which source's word is the later, too.
TEST(Inventory, AReadingLeavesWhatARestartMakes) {
  Tellers tellers;
  size_t measured = 0, changed = 0;
  for (int round = 0; round < 100; ++round) {
    Inventory inventory;
    std::map<std::string, std::string> rows;
    for (int step = 0; step < 60; ++step) {
      for (const InventoryChange& change : inventory.apply(tellers.next()))
        ++(change.kind == InventoryChange::Kind::measured ? measured : changed);
      if (tellers.one_of(3) == 0) inventory.write_out();
      if (tellers.one_of(10) == 0) inventory = Inventory(std::as_const(inventory));
      for (const auto& list : {inventory.take_changes(), inventory.take_measured(1)})
        for (const Inventory::Row& row : list) rows[row.key] = row.doc;
      if (tellers.one_of(5) > 0) continue;
      inventory.write_out();
      for (const Inventory::Row& row : inventory.take_changes()) rows[row.key] = row.doc;
      Inventory after;
      for (const auto& [key, doc] : rows) ASSERT_TRUE(doc.empty() || after.restore_row(key, doc));
      ASSERT_EQ(shown(after), shown(inventory)) << "round " << round << ", step " << step;
    }
  }
  EXPECT_GT(measured, 1000u);
  EXPECT_GT(changed, 1000u);
}

// Keeps each source's report whole, and merges them from nothing each time.
class PlainWords {
 public:
  void apply(const InventoryUpdate& told) {
    auto& own = words_[told.source];
    for (const Resource& r : told.resources) say(own, r, told.merge);
    for (const auto& gone : told.gone) {
      const auto word = own.find(gone.fmri);
      if (word == own.end()) continue;
      if (gone.reason == "removed")
        word->second.said.present = false;
      else
        destroy(told.source, gone.fmri);
    }
  }

  std::string shown() const {
    std::map<std::string, std::vector<std::pair<std::string, const Word*>>> of_part;
    for (const auto& [source, own] : words_)
      for (const auto& [fmri, word] : own) of_part[fmri].emplace_back(source, &word);
    std::string out;
    for (const auto& [fmri, words] : of_part)
      out += Inventory::to_json(merged(fmri, words)).dump() + "\n";
    return out;
  }

 private:
  struct Word {
    Resource said;
    uint64_t order = 0;
    bool declared = false;
  };

  void say(std::map<std::string, Word>& own, const Resource& r, bool merge) {
    const bool is_new = !own.contains(r.fmri);
    Word& word = own[r.fmri];
    const Word before = word;
    if (!merge || is_new) word.said = r;
    for (const auto& [name, value] : r.properties) word.said.properties[name] = value;
    word.declared = word.declared || !merge;
    const bool news = is_new || before.declared != word.declared ||
                      Inventory::to_json(before.said) != Inventory::to_json(word.said);
    if (news) word.order = ++order_;
  }

  void destroy(const std::string& source, const std::string& fmri) {
    words_[source].erase(fmri);
    const bool declared = std::any_of(words_.begin(), words_.end(), [&](const auto& own) {
      return own.second.contains(fmri) && own.second.at(fmri).declared;
    });
    for (auto& [other, own] : words_)
      if (!declared) own.erase(fmri);
  }

  static Resource merged(const std::string& fmri,
                         std::vector<std::pair<std::string, const Word*>> words) {
    std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second->said.present, a.second->order) <
             std::pair(b.second->said.present, b.second->order);
    });
    Resource out = of(fmri, "");
    out.present = false;
    std::set<Edge> edges;
    for (const auto& [source, word] : words) {
      if (!word->said.type.empty()) out.type = word->said.type;
      for (const auto& [name, value] : word->said.properties) out.properties[name] = value;
      edges.insert(word->said.edges.begin(), word->said.edges.end());
      out.sources.insert(source);
      out.present = out.present || (word->declared && word->said.present);
    }
    out.edges.assign(edges.begin(), edges.end());
    return out;
  }

  std::map<std::string, std::map<std::string, Word>> words_;
  uint64_t order_ = 0;
};

TEST(Inventory, WhatIsKnownIsWhatEachSaid) {
  Tellers tellers;
  for (int round = 0; round < 100; ++round) {
    Inventory inventory;
    PlainWords plain;
    for (int step = 0; step < 60; ++step) {
      const InventoryUpdate told = tellers.next();
      inventory.apply(told);
      plain.apply(told);
      ASSERT_EQ(shown(inventory), plain.shown()) << "round " << round << ", step " << step;
      ASSERT_EQ(tied(inventory, true), tied(inventory, false)) << "round " << round;
      if (tellers.one_of(10) == 0) inventory = Inventory(std::as_const(inventory));
    }
  }
}

}  // namespace
}  // namespace fmd::said_test
