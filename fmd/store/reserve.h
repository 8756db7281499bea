// Reserve: a little space on the store's file system. When the file system is full, the reserve is
// freed, so that messages about it can still be written. It is a separate file, since a database
// cannot predict which of its files will grow. Internal to the store.
#pragma once
#include <cstdint>
#include <string>

namespace fmd::store {

class Reserve {
 public:
  Reserve() = default;  // no reserve
  Reserve(std::string path, uint64_t bytes);

  // Restores it when several times its size is free. Returns whether it is complete.
  bool keep();
  // Frees the space. False: there was none.
  bool give_up();
  // Used, by this process or an earlier one, and not restored.
  bool given() const { return given_; }

 private:
  bool write_it() const;
  bool empty_it() const;

  std::string path_;
  uint64_t bytes_ = 0;
  bool whole_ = false, given_ = false;
  // With a quota writing may fail although space is free: retries become less frequent.
  unsigned rest_ = 0, longest_rest_ = 0;
};

}  // namespace fmd::store
