// The daemon's answers for status_of(), by value: include this in sources only.
#pragma once
#include <optional>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "ui/cli/status.h"
#include "ui/client/advice.h"

namespace fmd::cli {

struct StatusDocuments {
  nlohmann::json config, plugins, outbox, actions;
  nlohmann::json now = nlohmann::json::object();  // GetStatus
  std::vector<Case> cases;                        // open ones
  std::vector<std::optional<ui::Advice>> advice;  // for each case
};

// Pure, for tests.
Status status_of(const StatusDocuments& documents, const Inventory& inventory);

}  // namespace fmd::cli
