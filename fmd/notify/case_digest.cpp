#include "fmd/notify/case_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "fmd/advice/old_disk.h"
#include "fmd/advice/pull_order.h"
#include "fmd/advice/say.h"
#include "fmd/advice/situation.h"
#include "fmd/base/text.h"
#include "fmd/notify/alerts.h"
#include "fmd/notify/case_message.h"

namespace fmd {
namespace {

std::string orders_of(const Case& c, const Say& say, const Inventory& inventory) {
  if (!c.merged_into.empty()) return fmt::format("It goes on as case {}.", display(c.merged_into));
  const bool over = c.state == CaseState::resolved || c.state == CaseState::repaired;
  return over && !old_disk_in_bay(c, inventory) ? std::string() : say.do_now;
}

// Two shelves of the same model may have the same label.
std::string chassis_words(const Inventory& inventory, const PartIndex& index,
                          const std::string& fmri) {
  const Resource* box = inventory.find(fmri);
  const std::string label = box ? box->get("label") : std::string();
  return display(label.empty() || index.is_ambiguous(label) ? fmri : label, 60);
}

}  // namespace

DigestItem digest_item(const Case& c, const CaseNews& news, const MessageContext& context) {
  const Inventory& inventory = context.inventory;
  DigestItem item{c.uuid,
                  c.merged_into.empty() ? event_now(c, news.event) : "merged",
                  display(c.severity),
                  display(c.code),
                  display(c.title.empty() ? c.fault_class : c.title),
                  "",
                  "",
                  "",
                  news.time_ns};
  if (c.suspects.empty()) return item;
  const Suspect& first = c.suspects.front();
  const AlertFacts facts = facts_of(c, news.event, inventory);
  if (facts.pools.size() == 1) item.pool = display(*facts.pools.begin(), 60);
  std::optional<PartIndex> own;
  const PartIndex& index = context.index ? *context.index : own.emplace(inventory);
  if (const size_t end = first.bay.find("/bay="); end != first.bay.npos)
    item.chassis = chassis_words(inventory, index, first.bay.substr(0, end));
  const SayWorld world = context.world(index);
  item.part = situation_of(c, world).name;
  item.do_now = orders_of(c, say_of(c, world), inventory);
  return item;
}

std::vector<std::string> pull_orders_about(const Engine& engine, const std::set<std::string>& frus,
                                           const MessageContext& context) {
  constexpr size_t kMost = 200;  // with more at once, there is a common cause
  std::vector<std::string> out;
  const auto& open = engine.open_cases_by_age();
  if (open.size() < 2 || open.size() > kMost) return out;
  std::optional<PartIndex> own;
  const PartIndex& index = context.index ? *context.index : own.emplace(context.inventory);
  for (const PullOrder& order : pull_orders({open.begin(), open.end()}, context.world(index)))
    if (std::any_of(order.disks.begin(), order.disks.end(),
                    [&](const std::string& disk) { return frus.contains(disk); }))
      out.push_back(order.text);
  return out;
}

DigestNow digest_now(const Engine& engine, const MessageContext& context) {
  DigestNow now;
  now.item = [&](const DigestItem& then) -> std::optional<DigestItem> {
    const Case* c = engine.find_case(then.uuid);
    if (!c) return {};
    return digest_item(*c, {then.event, then.uuid, then.time_ns}, context);
  };
  now.pull_orders = [&](const std::vector<DigestItem>& items) {
    std::set<std::string> frus;
    for (const DigestItem& item : items)
      if (const Case* c = engine.find_case(item.uuid))
        for (const Suspect& s : c->suspects) frus.insert(s.fru);
    return pull_orders_about(engine, frus, context);
  };
  now.message = [&](const DigestItem& then, const std::vector<std::string>& whats_new) {
    return message_now(engine, then, whats_new, context);
  };
  now.explain_url = context.explain_url;
  return now;
}

}  // namespace fmd
