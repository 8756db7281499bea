// fmadm history: which disk was in which bay, and when.
#include <fmt/format.h>

#include <map>
#include <set>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

constexpr const char* kNote =
    "\n~ it had happened by then; fmd was not watching when it happened\n";

// An end of a stay: "2026-11-21 14:30", with "~" if the real time may be earlier.
std::string end_text(int64_t ns, bool exact, bool& noted) {
  if (ns == 0) return "now";
  noted = noted || !exact;
  return (exact ? "" : "~") + format_minute(ns);
}

const std::string& label_of(const ui::Stay& stay) {
  return stay.label.empty() ? stay.bay : stay.label;
}

using Bays = std::map<std::string, std::set<std::string>>;  // by printed label

// "SLOT 06", or "5000c500fa0e5e50/SLOT 06" if several shelves have one; both work as arguments.
std::string bay_name(const ui::Stay& stay, const Bays& bays) {
  const std::string& name = label_of(stay);
  if (bays.at(name).size() < 2) return name;
  const auto fmri = Fmri::parse(stay.bay);
  const std::string chassis = fmri ? fmri->get("chassis") : "";
  return chassis.empty() ? stay.bay : chassis + "/" + name;
}

}  // namespace

Result<void> history(Client& client, const std::string& part, bool json_wanted) {
  nlohmann::json filter = nlohmann::json::object();
  if (!part.empty()) filter["part"] = part;
  const auto list = client.query("ListBayHistory", filter);
  if (!list) return tl::unexpected(list.error());
  if (json_wanted) return print(json_text(*list));
  Table table({"BAY", "FROM", "TO", "SERIAL", "MODEL"});
  Bays bays;
  const std::vector<ui::Stay> stays = ui::stays_in(*list);
  for (const ui::Stay& stay : stays) bays[label_of(stay)].insert(stay.bay);
  bool noted = false;
  for (const ui::Stay& stay : stays)
    table.add({bay_name(stay, bays), end_text(stay.from_ns, stay.from_exact, noted),
               end_text(stay.to_ns, stay.to_exact, noted),
               stay.serial.empty() ? stay.disk : stay.serial, stay.model});
  if (table.empty())
    return print(part.empty() ? "No disk has been seen in a bay yet.\n"
                              : clean(part) + ": no disk has been seen in a bay there yet\n");
  return print(table.text() + (noted ? kNote : ""));
}

}  // namespace fmd::cli
