// Lies: a compromised plugin with fmd-redfish's grant. Like all messages, its messages pass the
// hub's check of who may set a property.
#include <fmt/format.h>

#include "fmd/hub/grants.h"
#include "names.h"
#include "stage.h"

namespace fmd::histories {
namespace {

constexpr const char* kLiar = "redfish";

Value word(std::string value) {
  return Value(std::move(value));
}

Resource part(std::string fmri, const char* type, Properties properties) {
  Resource r;
  r.fmri = std::move(fmri);
  r.type = type;
  r.properties = std::move(properties);
  return r;
}

Resource false_bay(std::string fmri, int bay, int disk) {
  Resource r = part(std::move(fmri), "bay",
                    {{"label", word(fmt::format("SLOT {:02}", bay))},
                     {"slot", Value(static_cast<int64_t>(bay))},
                     {"occupied", Value(true)}});
  r.edges.push_back({Relation::contains, disk_fmri(disk)});
  return r;
}

}  // namespace

void Stage::play_lie(const Step& step) {
  if (!daemon_.up()) return;
  InventoryUpdate update;
  update.source = kLiar;
  if (step.kind == StepKind::lies_end) {
    update.complete = true;
    say(kLiar, "describes nothing any more");
    return daemon_.hear(std::move(update));
  }
  const int disk = step.place % static_cast<int>(world_.disks.size()), bay = bay_at(step.amount);
  const auto of_disk = [&](Properties properties) {
    return part(disk_fmri(disk), "disk", std::move(properties));
  };
  switch (static_cast<Lie>(step.option)) {
    case Lie::blank:
      update.resources = {of_disk({{"content", word("blank")}})};
      break;
    case Lie::other_path:
      update.resources = {of_disk({{"path", word("/dev/sd0")}, {"by_id", word("ata-other")}})};
      break;
    case Lie::other_serial:
      update.resources = {of_disk({{"serial", word(world_.disks[0].serial)}})};
      break;
    case Lie::larger:
      update.resources = {of_disk({{"size_bytes", Value(int64_t{100000})}})};
      break;
    case Lie::in_own_bay:
      update.resources = {false_bay(fmt::format("hc://chassis=1/bay=redfish-{}", bay), bay, disk)};
      break;
    case Lie::in_that_bay:
      if (!world_.bays[static_cast<size_t>(bay)].known) return;  // it would be the liar's own bay
      update.resources = {false_bay(bay_fmri(bay), bay, disk)};
      break;
    case Lie::smart_failed:
    case Lie::smart_passed: {
      const bool failed = static_cast<Lie>(step.option) == Lie::smart_failed;
      update.resources = {of_disk({{"smart.state", word("observed")},
                                   {"smart.protocol", word("ata")},
                                   {"smart.status", word(failed ? "failed" : "passed")}})};
    }
  }
  say(kLiar, fmt::format("lies about {} (lie {}, SLOT {:02})",
                         world_.disks[static_cast<size_t>(disk)].serial, step.option, bay));
  rename_foreign_properties({{kLiar, {}}}, update);
  daemon_.hear(std::move(update));
}

}  // namespace fmd::histories
