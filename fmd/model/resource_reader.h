// Reads a resource from JSON, as in the protocol and in the store (schemas/plugin-protocol.md §
// inventory).
#pragma once
#include "fmd/base/on_demand.h"
#include "fmd/base/result.h"
#include "fmd/model/inventory.h"

namespace fmd {

// Members that it does not know are passed over. Hostile input: an Error says what is wrong, and of which resource.
Result<Resource> read_resource(const simdjson::dom::element& doc);

// Nothing: an array or an object.
std::optional<Value> read_value(const simdjson::dom::element& value);

}  // namespace fmd
