#include "fmd/chassis/library.h"

#include <algorithm>

#include "fmd/chassis/parse.h"
#include "fmd/chassis/pattern.h"

namespace fmd::chassis {

namespace {

bool is_so(const std::string& key, const std::string& pattern, const Facts& facts) {
  const auto fact = facts.find(key);
  if (fact != facts.end() && glob_matches(pattern, fact->second)) return true;
  // For descriptions from the time when machines were named by their DMI UUID.
  return key == "system_id" && is_so("dmi_id", pattern, facts);
}

// The table with the most detailed keys among those that fit, and its weight.
std::pair<const Facts*, int> best_match(const Description& description, const Facts& facts) {
  std::pair<const Facts*, int> best{nullptr, 0};
  for (const Facts& keys : description.match) {
    int weight = 1;
    const bool all = std::all_of(keys.begin(), keys.end(), [&](const auto& key) {
      weight += glob_weight(key.second);
      return is_so(key.first, key.second, facts);
    });
    if (all && weight > best.second) best = {&keys, weight};
  }
  return best;
}

}  // namespace

int fitness(const Description& description, const Facts& facts) {
  const auto [keys, weight] = best_match(description, facts);
  return keys ? weight + (description.generic ? 0 : 1000000) : 0;
}

std::string matched_by(const Description& description, const Facts& facts) {
  const auto [keys, weight] = best_match(description, facts);
  if (!keys) return {};
  std::string text;
  for (const auto& [key, pattern] : *keys) {
    text += (text.empty() ? "" : ", ") + key;
    if (key != "dmi_serial") text += " = \"" + pattern + '"';
  }
  return text;
}

std::pair<Library, std::vector<Error>> Library::load(const std::vector<SourceFile>& files) {
  Library library;
  std::vector<Error> errors;
  for (const SourceFile& file : files) {
    auto [description, wrong] = parse(file);
    errors.insert(errors.end(), wrong.begin(), wrong.end());
    if (description)
      library.all_.push_back(std::make_shared<const Description>(std::move(*description)));
  }
  return {std::move(library), std::move(errors)};
}

Library::Found Library::shelf(const Facts& facts) const {
  Found best;
  int most = 0;
  for (const Found& one : all_)
    if (const int fits = one->applies_to == "shelf" ? fitness(*one, facts) : 0; fits > most) {
      most = fits;
      best = one;
    }
  return best;
}

std::vector<Library::Found> Library::host(const Facts& facts) const {
  Found best;
  int most = 0;
  std::vector<Found> generic;
  for (const Found& one : all_) {
    const int fits = one->applies_to == "host" ? fitness(*one, facts) : 0;
    if (fits == 0) continue;
    if (one->generic)
      generic.push_back(one);
    else if (fits > most) {
      most = fits;
      best = one;
    }
  }
  return best ? std::vector<Found>{best} : generic;
}

}  // namespace fmd::chassis
