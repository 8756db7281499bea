// words-on-host INVENTORY: checks the advice for every shipped fault and each part that it can be
// about, on a machine in its current state. INVENTORY is the output of "fmtopo --json". Exit status
// 1: a sentence is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fmd/advice/rule_text.h"
#include "fmd/advice/say.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/suspects.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::test {
namespace {

Inventory read_inventory(const char* path) {
  std::ifstream file(path);
  Inventory inventory;
  for (const auto& doc : nlohmann::json::parse(file)) {
    auto resource = Inventory::resource_from_json(doc);
    if (!resource) throw std::runtime_error(resource.error().text());
    inventory.restore(std::move(*resource));
  }
  return inventory;
}

// A rule about a state names the type of its parts; for an event the type follows from its class.
std::string type_of(const Rule& rule) {
  if (!rule.resource_type.empty()) return rule.resource_type;
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"fs.zfs.vdev", "zfs-vdev"},
      {"fs.zfs.device", "zfs-vdev"},
      {"fs.zfs", "zfs-pool"},
      {"io.disk", "disk"},
      {"disk.slot", "bay"},
      {"memory", "dimm"},
      {"cpu", "core"},
      {"psu", "psu"},
      {"fan", "fan"}};
  for (const auto& [word, type] : kTypes)
    if (rule.fault->name.find(word) != std::string::npos) return std::string(type);
  return {};
}

bool names_word(const std::string& text, const std::string& word) {
  for (size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) {
    const size_t end = at + word.size();
    if (end == text.size() || !std::isalnum(static_cast<unsigned char>(text[end]))) return true;
  }
  return false;
}

Case case_of(const Context& context, const Rule& rule, const std::string& resource) {
  Case c;
  c.uuid = "3f6d2c40-0000-4000-8000-000000000001";
  c.state = CaseState::solved;
  c.code = rule.fault->code;
  c.severity = rule.fault->severity;
  c.fault_class = rule.fault->name;
  c.retire = rule.fault->retire;
  c.information = rule.fault->information;
  Suspect suspect = make_suspect(context, rule, resource);
  learn_facts(suspect.facts, context, rule, resource, nullptr);
  c.suspects.push_back(std::move(suspect));
  render(context, c);
  return c;
}

class Judge {
 public:
  explicit Judge(Context context) : context_(std::move(context)), index_(context_.inventory) {
    for (const auto& [fmri, r] : context_.inventory.all())
      if (r.type == "bay") labels_.push_back(r.get("label"));
  }

  void look_at(const Rule& rule) {
    const std::string type = type_of(rule);
    for (const auto& [fmri, r] : context_.inventory.all())
      if (r.type == type && (type != "zfs-vdev" || r.is("vdev_type", "disk")))
        judge(case_of(context_, rule, fmri));
  }
  int said() const { return said_; }
  int wrong() const { return wrong_; }

 private:
  void judge(const Case& c) {
    const Say say = say_of(c, {context_.inventory, index_});
    ++said_;
    const auto expect = [&](bool holds, const char* what) {
      if (holds) return;
      ++wrong_;
      fmt::print("{} of {}: {}\n  {}\n  {}\n", c.fault_class, c.suspects[0].resource, what,
                 say.headline, say.do_now);
    };
    const Resource* suspected = context_.inventory.find(c.suspects[0].resource);
    const std::string own = suspected ? suspected->get("label") : std::string();
    for (const std::string& label : labels_)
      expect(label == c.suspects[0].location || label == own || !names_word(say.headline, label),
             "the headline names a part that is no suspect");
    expect(!say.do_now.empty() && std::isupper(static_cast<unsigned char>(say.do_now[0])) &&
               sentences_of(say.do_now).size() == 1,
           "'do now' is not one sentence");
    expect((say.headline + say.do_now).find_first_of("{}") == std::string::npos,
           "a placeholder is left");
    const Resource* part = context_.inventory.find(c.suspects[0].fru);
    const bool gone = part && part->type == "disk" && !part->present;
    const bool asks =
        say.do_now.starts_with("Replace the disk in") || say.do_now.starts_with("Pull");
    expect(!gone || !asks || c.retire.returns, "a disk is to be pulled that is gone already");
    // A disk that does not respond may still be in its bay, unless the bay is known to be empty.
    const bool silent = say.safe_to_pull.why.starts_with("it does not answer");
    expect(!gone || silent || !say.safe_to_pull.yes(),
           "a disk is safe to pull that is gone already");
    expect(!say.safe_to_pull.yes() || !is_last(c), "pulling that disk would lose the last copy");
  }

  // From the plugin's own values: a group without losses_left does not survive the loss of a disk.
  bool is_last(const Case& c) const {
    for (const Resource* vdev : context_.inventory.parents(c.suspects[0].fru, Relation::redundancy))
      if (vdev->type == "zfs-vdev" && vdev->is("state", "ONLINE") && vdev->is("role", "data") &&
          !vdev->is("spare", "active") && vdev->get("losses_left").empty())
        return true;
    return false;
  }

  Context context_;
  PartIndex index_;
  std::vector<std::string> labels_;
  int said_ = 0, wrong_ = 0;
};

int run(const char* path) {
  Context context;
  context.rules = shipped_rules();
  context.inventory = read_inventory(path);
  const auto rules = context.rules;
  Judge judge(std::move(context));
  for (const Rule& rule : rules->rules()) judge.look_at(rule);
  fmt::print("{} sentences, {} wrong\n", judge.said(), judge.wrong());
  return judge.wrong() == 0 && judge.said() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace fmd::test

int main(int argc, char** argv) try {
  if (argc == 2) return fmd::test::run(argv[1]);
  std::fputs("usage: words-on-host INVENTORY\n", stderr);
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "words-on-host: %s\n", e.what());
  return 1;
}
