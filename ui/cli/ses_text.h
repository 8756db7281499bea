// Serial numbers and other identifiers of a box or disk in the output of sg_ses(8), for masking. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace fmd::cli {

// SAS addresses, ids and serial numbers in the texts of a document. In doubt a word counts as one:
// a mask in the wrong place does no harm. Words of a text's INQUIRY line are not secret.
std::set<std::string> secrets_in(const nlohmann::json& pages);
// The same document without lines of bytes in hex, which may contain serial numbers.
nlohmann::json without_bytes(nlohmann::json pages);

}  // namespace fmd::cli
