// Reserve: a little space that the store keeps for itself on its file system. On the day on which that
// is full it is given up, so that what is to be told then can still be written. A file of its own, since
// no database can say beforehand which of its files will have to grow. Inside the store only.
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
