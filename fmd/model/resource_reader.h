// Reads a resource from JSON, as in the protocol and in the store (schemas/plugin-protocol.md §
// inventory).
#pragma once
#include "fmd/base/on_demand.h"
#include "fmd/base/result.h"
#include "fmd/model/inventory.h"

namespace fmd {

// Ignores unknown members. Input may be hostile: an Error names the fault and the resource.
Result<Resource> read_resource(const simdjson::dom::element& doc);

// Nothing if it is an array or an object.
std::optional<Value> read_value(const simdjson::dom::element& value);

}  // namespace fmd
