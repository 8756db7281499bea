// Library: all chassis descriptions, and which of them match a given machine. Pure.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "fmd/chassis/description.h"

namespace fmd::chassis {

// How well the description fits; 0: not at all. A specific one ranks above a generic one; among
// equals, the one with the more detailed keys.
int fitness(const Description& description, const Facts& facts);
// The [[match]] table that fits best: ses_id = "5000c5…", ses_vendor = "…"; "" if none fits.
// Without the value of a serial number, which only root may see.
std::string matched_by(const Description& description, const Facts& facts);

class Library {
 public:
  // Omits files with errors, and returns all errors of all files.
  static std::pair<Library, std::vector<Error>> load(const std::vector<SourceFile>& files);

  using Found = std::shared_ptr<const Description>;
  const std::vector<Found>& all() const { return all_; }
  // The best for that enclosure, or nullptr. The first by name wins a tie.
  Found shelf(const Facts& facts) const;
  // The host's: one specific description, or every generic one that fits (a server may have ATA
  // ports and PCI slots).
  std::vector<Found> host(const Facts& facts) const;

 private:
  std::vector<Found> all_;
};

}  // namespace fmd::chassis
