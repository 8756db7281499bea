// Values that only root may read in /sys and from the BMC: serial numbers and UUIDs of the machine
// and its parts, except disks' (udev shows those to all). Documents for other users have each such
// value removed, wherever it occurs. Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/engine.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::bus {

// Whether this property of a part of that type is root's to read.
bool is_private(std::string_view type, std::string_view property);

class PrivateIds {
 public:
  static PrivateIds of(const Inventory& inventory);
  static PrivateIds of(const Case& c);  // what its own texts hold
  // Of a part that is gone, the cases about it know.
  static PrivateIds of(const Engine& engine);

  // Adds the private ids of a resource or case that is new or has changed. Ids that are private no longer are
  // removed only by of().
  void add(const Resource& resource);
  void add(const Case& c);
  // True when so much was added that of() should be called again.
  bool has_outgrown() const { return words_ > 2 * made_words_ + 1000; }

  // text with "(root only)" for each of them that stands there as a word.
  std::string taken_out_of(std::string_view text) const;
  // The same of a JSON document: its strings, no number that happens to be one.
  std::string taken_out_of_json(std::string_view document) const;

 private:
  size_t at(std::string_view text, size_t position) const;  // how long the one is that begins there
  void add(std::string_view value);
  void add_word(std::string word);

  std::map<uint32_t, std::vector<std::string>> by_beginning_;  // of four bytes
  std::vector<bool> may_begin_ = std::vector<bool>(1 << 16);
  size_t words_ = 0, made_words_ = 0;  // now; when of() returned
};

}  // namespace fmd::bus
