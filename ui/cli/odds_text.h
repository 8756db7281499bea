// The table of explanations with their odds in words and numbers, for fmadm why. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/model/inventory.h"

namespace fmd::cli {

// accounts: as ListPage "explanations" sends them. "" if there are none.
std::string odds_text(const nlohmann::json& accounts, const Inventory& inventory);

// "one chance in 40", "one chance in 10^30"; ratio: log10 of the odds, at most 0.
std::string chance_words(double log10_odds);

}  // namespace fmd::cli
