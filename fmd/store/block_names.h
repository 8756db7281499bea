// BlockNames: the classes and resources of a block's events, so that searches unpack only blocks
// that may match. False positives are possible, false negatives are not. Internal to the store.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace fmd::store {

class ClassGlob;

struct BlockNames {
  std::string classes;    // each with a line break; "" too many, any may be there
  std::string resources;  // bits, set by their hashes
};

// None: not lines of the journal that can be told so quickly.
std::optional<BlockNames> names_of(std::string_view lines);

bool may_have_class(std::string_view classes, const ClassGlob& glob);
bool may_have_resource(std::string_view resources, std::string_view resource);

// The resources as they are kept, with a checksum of all names: a rotten bit would hide what is there.
std::string kept_resources(const BlockNames& names);
// Back again; nothing: these are not the names that were kept.
std::optional<std::string_view> read_resources(std::string_view classes, std::string_view kept);

}  // namespace fmd::store
