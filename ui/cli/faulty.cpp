// fmadm faulty: lists cases, and what to do about them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/model/case.h"
#include "ui/cli/about_part.h"
#include "ui/cli/advice_text.h"
#include "ui/cli/arguments.h"
#include "ui/cli/case_text.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/cli/status.h"

namespace fmd::cli {
namespace {

struct Shown {
  Case c;
  nlohmann::json doc;  // as sent by fmd
};

Result<void> keep_about(Client& client, const std::string& part, std::vector<Shown>& shown) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const std::set<std::string> names = names_of_part(*inventory, part);
  if (names.empty())
    return fail("nothing is known as \"" + clean(part) + "\"; fmtopo shows everything");
  shown.erase(std::remove_if(shown.begin(), shown.end(),
                             [&](const Shown& s) { return !is_about(s.c, names); }),
              shown.end());
  return {};
}

bool only_open(const FaultyOptions& options) {
  return !options.all && options.uuid.empty();
}

// Without -a and -u: cases that need attention, which are solved and not yet repaired.
bool wanted(const Case& c, const FaultyOptions& options) {
  if (!only_open(options)) return true;
  return c.state != CaseState::unsolved && c.faulty();
}

Result<std::vector<Shown>> select(Client& client, const FaultyOptions& options) {
  nlohmann::json filter = nlohmann::json::object();
  if (!only_open(options)) filter["all"] = true;
  if (!options.uuid.empty()) {
    auto id = case_id(client, options.uuid);
    if (!id) return tl::unexpected(id.error());
    filter["uuid"] = *id;
  }
  if (options.summary && !options.json)
    filter["summary"] = true;
  else if (!options.verbose && !options.json)
    filter["no_evidence"] = true;
  client.ask_ahead("ListCases", filter);
  if (!options.json) Surroundings::fetch_ahead(client, only_open(options));
  auto docs = client.query("ListCases", filter);
  if (!docs) return tl::unexpected(docs.error());
  std::vector<Shown> shown;
  for (nlohmann::json& doc : *docs) {
    auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    if (wanted(*c, options)) shown.push_back({std::move(*c), std::move(doc)});
  }
  if (!options.part.empty())
    if (auto kept = keep_about(client, options.part, shown); !kept)
      return tl::unexpected(kept.error());
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Shown& a, const Shown& b) { return a.c.opened_ns < b.c.opened_ns; });
  // With a limit, the newest ones are shown.
  if (options.max > 0 && shown.size() > options.max)
    shown.erase(shown.begin(), shown.end() - static_cast<ptrdiff_t>(options.max));
  if (!options.uuid.empty() && shown.empty())
    return fail("There is no case " + options.uuid + "; all of them: fmadm faulty -a -s");
  return shown;
}

Result<Surroundings> surroundings(Client& client, const std::vector<Case>& cases, bool open) {
  std::set<std::string> parts;
  for (const Case& c : cases) parts.merge(c.parts());
  return open ? Surroundings::fetch_of_open_cases(client, parts)
              : Surroundings::fetch(client, {parts.begin(), parts.end()});
}

// For a person only: for a script, empty output stays empty.
Result<void> say_all_is_well(Client& client, const FaultyOptions& options) {
  if (!options.part.empty()) return print("No open problem about " + clean(options.part) + "\n");
  const auto inventory = fetch_inventory(client);
  const auto config = client.query("GetConfig");
  const auto plugins = client.query("ListPlugins");
  for (const auto* failed : {&config, &plugins})
    if (!*failed) return tl::unexpected(failed->error());
  if (!inventory) return tl::unexpected(inventory.error());
  std::string words;
  for (const auto& [fmri, r] : inventory->all())
    if (r.present && r.type == "zfs-pool")
      words += fmt::format("pool {} {}; ", clean(r.get("name")), clean(r.get("health")));
  const size_t watch = ui::watching_in(*plugins, *config).watching.size();
  return print(wrapped("",
                       fmt::format("No open problem ({}{} plugin{} watch{})", words, watch,
                                   watch == 1 ? "" : "s", watch == 1 ? "es" : ""),
                       2));
}

std::string fma_text(const std::vector<Case>& cases,
                     const std::vector<std::optional<ui::Advice>>& advice,
                     const Surroundings& around, const FaultyOptions& options) {
  std::string out;
  for (size_t i = 0; i < cases.size(); ++i)
    out += (out.empty() ? "" : "\n") +
           case_text(cases[i], around, options.verbose, advice[i] ? &*advice[i] : nullptr);
  return out;
}

// The most urgent cases first. Without fmd's advice (an older fmd), only FMA's layout is available.
std::string text_of(std::vector<Case> cases, std::vector<std::optional<ui::Advice>> advice,
                    const Surroundings& around, const ui::MachineNow& now,
                    const FaultyOptions& options) {
  if (std::any_of(advice.begin(), advice.end(), [](const auto& one) { return !one; }))
    return fma_text(cases, advice, around, options);
  std::vector<AdvisedCase> advised;
  for (size_t i = 0; i < cases.size(); ++i)
    advised.push_back({std::move(cases[i]), std::move(*advice[i])});
  sort_by_urgency(advised, now.pull_disks);
  std::string out;
  for (const AdvisedCase& one : advised) {
    out += (out.empty() ? "" : "\n") + advice_text(one, around);
    if (options.verbose) out += '\n' + case_text(one.c, around, true, &one.advice);
  }
  return out;
}

// Of several disks that are each safe to pull, the one to begin with. An older fmd does not say it.
std::string pull_order_text(const ui::MachineNow& now) {
  std::string out;
  for (const std::string& line : now.pull_order)
    out += wrapped("", painted(clean_prose(line), Tone::strong), 2);
  return out.empty() ? out : out + '\n';
}

// PART may also be a case's id, as printed in messages and by `fmadm status`. A part of that name
// takes precedence, since four hexadecimal characters may be a serial number; a complete id is
// looked up as a case first, since that is one call.
Result<FaultyOptions> part_to_case(Client& client, FaultyOptions options) {
  if (options.part.empty() || !options.uuid.empty() || !is_id_prefix(options.part)) return options;
  if (is_uuid(options.part)) {
    const auto docs = client.query("ListCases", {{"all", true}, {"uuid", options.part}});
    if (!docs) return tl::unexpected(docs.error());
    if (docs->empty()) return options;
  } else {
    const auto inventory = fetch_inventory(client);
    if (!inventory) return tl::unexpected(inventory.error());
    if (!inventory->lookup(options.part).empty()) return options;
  }
  options.uuid = std::exchange(options.part, {});
  return options;
}

}  // namespace

Result<void> faulty(Client& client, const FaultyOptions& asked) {
  const auto meant = part_to_case(client, asked);
  if (!meant) return tl::unexpected(meant.error());
  const FaultyOptions& options = *meant;
  auto shown = select(client, options);
  if (!shown) return tl::unexpected(shown.error());
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (Shown& s : *shown) list.push_back(std::move(s.doc));
    return print(json_text(list));
  }
  if (shown->empty()) {
    const auto blind = blindness(client);
    if (!blind) return tl::unexpected(blind.error());
    if (!blind->empty()) fmt::print(stderr, "{}", wrapped("fmadm: ", *blind, 7));
    return blind->empty() && is_terminal() ? say_all_is_well(client, options) : Result<void>();
  }
  std::vector<Case> cases;
  std::vector<std::optional<ui::Advice>> advice;
  for (Shown& s : *shown) {
    cases.push_back(std::move(s.c));
    advice.push_back(ui::advice_in(s.doc));
  }
  auto around = surroundings(client, cases, only_open(options));
  if (!around) return tl::unexpected(around.error());
  if (options.summary) {
    std::string out = case_header();
    for (const Case& c : cases) out += case_row(c) + case_title(c, around->inventory, options.all);
    return print(out);
  }
  if (options.by_fru) return print(cases_by_fru(cases, *around));
  if (options.by_resource) return print(cases_by_resource(cases, *around));
  if (options.fma) return print(fma_text(cases, advice, *around, options));
  ui::MachineNow now;
  if (only_open(options) && options.part.empty() && cases.size() > 1)
    if (const auto status = client.query("GetStatus")) now = ui::machine_now_in(*status);
  return print(pull_order_text(now) +
               text_of(std::move(cases), std::move(advice), *around, now, options));
}

}  // namespace fmd::cli
