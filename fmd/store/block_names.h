// BlockNames: the classes and resources of a block's events, so that searches unpack only blocks
// that may match. False positives are possible, false negatives are not. Internal to the store.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace fmd::store {

class ClassGlob;

struct BlockNames {
  std::string classes;    // one per line; "" if too many: any class is possible
  std::string resources;  // a Bloom filter
};

// Nothing if the lines are not journal lines in the usual form.
std::optional<BlockNames> names_of(std::string_view lines);

bool may_have_class(std::string_view classes, const ClassGlob& glob);
bool may_have_resource(std::string_view resources, std::string_view resource);

// The resources for storage, with a checksum over all names: a damaged bit would hide events.
std::string kept_resources(const BlockNames& names);
// The reverse; nothing if the checksum is wrong.
std::optional<std::string_view> read_resources(std::string_view classes, std::string_view kept);

}  // namespace fmd::store
