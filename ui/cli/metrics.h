// Metrics: fmd's state as OpenMetrics text, named by OpenTelemetry's hardware conventions. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

struct MetricsSource {
  const Inventory& inventory;
  const std::vector<Case>& cases;  // open ones
  const nlohmann::json& plugins;   // ListPlugins
  const nlohmann::json& outbox;    // ListOutbox
};
std::string open_metrics(const MetricsSource& source);

}  // namespace fmd::cli
