// fmtopo --why: all parts on which a part depends. fmtopo --graph: the inventory for Graphviz.
#pragma once
#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "ui/cli/topology.h"

namespace fmd::cli {

Result<void> print_why(Client& client, const Inventory& inventory, const TopoOptions& options);
Result<void> print_graph(const Inventory& inventory, const TopoOptions& options);

}  // namespace fmd::cli
