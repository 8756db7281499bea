// ListPage "explanations": what may have caused the evidence, with odds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmd/base/json.h"
#include "fmd/control/queries.h"
#include "fmd/diagnosis/blame/blame.h"

namespace fmd {
namespace {

using blame::Account;
using blame::Explanation;
using nlohmann::json;

constexpr size_t kMostListedParts = 64;  // of an explanation; "count" has all

const char* explanation_kind(const Explanation& one) {
  switch (one.kind) {
    case Explanation::Kind::alone:
      return "alone";
    case Explanation::Kind::batch:
      return "batch";
    case Explanation::Kind::hands:
      return "person";
    case Explanation::Kind::hub:
      break;
  }
  switch (one.hub) {
    case blame::HubKind::path:
      return "path";
    case blame::HubKind::enclosure:
      return "enclosure";
    case blame::HubKind::bay:
      return "bay";
    case blame::HubKind::machine:
      break;
  }
  return "machine";
}

json explanation_document(const Explanation& one) {
  const auto end =
      one.parts.begin() + static_cast<ptrdiff_t>(std::min(one.parts.size(), kMostListedParts));
  json doc{
      {"kind", explanation_kind(one)}, {"parts", std::vector<std::string>(one.parts.begin(), end)},
      {"count", one.parts.size()},     {"of", one.of},
      {"within", one.within_ns},       {"excluded", one.excluded},
      {"probability", one.probability}};
  if (!one.excluded) doc["log10_odds"] = one.log_odds / std::log(10.0);
  if (one.kind == Explanation::Kind::hub && one.hub != blame::HubKind::machine)
    doc["names"] = one.names;
  if (!one.group.empty()) {
    doc["group"] = one.group;
    doc["tolerance"] = one.tolerance;
  }
  return doc;
}

json account_document(const Account& account, int64_t steady_ns) {
  json doc{{"part", account.part},
           {"way", account.way == blame::Way::path ? "path" : "data"},
           {"hard", account.hard},
           {"own", account.own},
           {"age", std::max<int64_t>(0, steady_ns - account.onset_ns)},
           {"explanations", json::array()}};
  for (const Explanation& one : account.explanations)
    doc["explanations"].push_back(explanation_document(one));
  return doc;
}

}  // namespace

Result<std::string> query_explanations(const Engine& engine, Moment now, std::string_view filter,
                                       Paging paging) {
  auto parsed = ListAnswer::filter(paging, filter, {"uuid", "part"});
  if (!parsed) return tl::unexpected(parsed.error());
  const std::string uuid = parsed->text("uuid"), part = parsed->text("part");
  ListAnswer answer(paging, *parsed);
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  const std::vector<Account> accounts = uuid.empty() ? engine.explanations_of_part(part, now)
                                                     : engine.explanations_of_case(uuid, now);
  for (size_t i = 0; i < accounts.size(); ++i) {
    const std::string key = fmt::format("{:04}", i);
    if (answer.wants(key) && !answer.add(key, account_document(accounts[i], now.steady_ns))) break;
  }
  return answer.text();
}

}  // namespace fmd
