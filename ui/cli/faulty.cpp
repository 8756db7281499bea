#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/model/case.h"
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
  nlohmann::json doc;  // as fmd sent it
};

bool of_open_ones(const FaultyOptions& options) {
  return !options.all && options.uuid.empty();
}

// Without -a and -u: what needs somebody's attention, that is convicted and not yet repaired.
bool wanted(const Case& c, const FaultyOptions& options) {
  if (!of_open_ones(options)) return true;
  return c.state != CaseState::unsolved && c.faulty();
}

Result<std::vector<Shown>> select(Client& client, const FaultyOptions& options) {
  nlohmann::json filter = nlohmann::json::object();
  if (!of_open_ones(options)) filter["all"] = true;
  if (!options.uuid.empty()) {
    auto id = case_id(client, options.uuid);
    if (!id) return tl::unexpected(id.error());
    filter["uuid"] = *id;
  }
  if (!options.verbose && !options.json) filter["no_evidence"] = true;
  client.ask_ahead("ListCases", filter);
  if (!options.json) Surroundings::fetch_ahead(client, of_open_ones(options));
  auto docs = client.query("ListCases", filter);
  if (!docs) return tl::unexpected(docs.error());
  std::vector<Shown> shown;
  for (nlohmann::json& doc : *docs) {
    auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    if (wanted(*c, options)) shown.push_back({std::move(*c), std::move(doc)});
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Shown& a, const Shown& b) { return a.c.opened_ns < b.c.opened_ns; });
  // The newest ones are what a limit is to leave.
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

}  // namespace

Result<void> faulty(Client& client, const FaultyOptions& options) {
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
    return {};
  }
  std::vector<Case> cases;
  for (Shown& s : *shown) cases.push_back(std::move(s.c));
  auto around = surroundings(client, cases, of_open_ones(options));
  if (!around) return tl::unexpected(around.error());
  if (options.summary) {
    std::string out = case_header();
    for (const Case& c : cases) out += case_row(c) + case_title(c, around->inventory, options.all);
    return print(out);
  }
  if (options.by_fru) return print(cases_by_fru(cases, *around));
  if (options.by_resource) return print(cases_by_resource(cases, *around));
  std::string out;
  for (const Case& c : cases)
    out += (out.empty() ? "" : "\n") + case_text(c, *around, options.verbose);
  return print(out);
}

}  // namespace fmd::cli
