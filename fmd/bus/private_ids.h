// PrivateIds: values that only root may read in /sys and from the BMC: serial numbers and UUIDs of
// the machine and its parts, except disks (udev shows those to all). They are removed from
// documents for other users, wherever they occur. Single thread.
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

// Whether only root may read this property of a part of that type.
bool is_private(std::string_view type, std::string_view property);

class PrivateIds {
 public:
  static PrivateIds of(const Inventory& inventory);
  static PrivateIds of(const Case& c);  // those in the case's own texts
  // Includes the ids of removed parts, which their cases know.
  static PrivateIds of(const Engine& engine);

  // Adds the private ids of a new or changed resource or case. Only of() removes obsolete ids.
  void add(const Resource& resource);
  void add(const Case& c);
  // Whether so much was added that of() should be called again.
  bool has_outgrown() const { return words_ > 2 * made_words_ + 1000; }

  // Replaces each id that occurs as a word by "(root only)".
  std::string taken_out_of(std::string_view text) const;
  // The same in the strings of a JSON document; numbers stay.
  std::string taken_out_of_json(std::string_view document) const;

 private:
  size_t at(std::string_view text, size_t position) const;  // length of the id there, or 0
  void add(std::string_view value);
  void add_word(std::string word);

  std::map<uint32_t, std::vector<std::string>> by_beginning_;  // first four bytes → words
  std::vector<bool> may_begin_ = std::vector<bool>(1 << 16);
  size_t words_ = 0, made_words_ = 0;  // currently; when of() returned
};

}  // namespace fmd::bus
