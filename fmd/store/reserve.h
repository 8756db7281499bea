// Reserve: a little space that the store reserves on its file system. When the file system is full,
// the reserve is freed, so that the messages about it can still be written. It is a separate file,
// since no database can predict which of its files will grow. Internal to the store.
#pragma once
#include <cstdint>
#include <string>

namespace fmd::store {

class Reserve {
 public:
  Reserve() = default;  // none
  Reserve(std::string path, uint64_t bytes);

  // Makes it whole again when there is room for several times as much. Says whether it is.
  bool keep();
  // False: there was nothing to give up.
  bool give_up();
  // It was given up, by this process or one before, and is not whole again.
  bool given() const { return given_; }

 private:
  bool write_it() const;
  bool empty_it() const;

  std::string path_;
  uint64_t bytes_ = 0;
  bool whole_ = false, given_ = false;
  // A quota lets nothing be written though there is room: it is tried less and less often.
  unsigned rest_ = 0, longest_rest_ = 0;
};

}  // namespace fmd::store
