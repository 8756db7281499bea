// Allowances: limits how many bytes of large replies that sd-bus generates itself a user may
// request: a burst, then a number of bytes per second. Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace fmd::bus {

class Allowances {
 public:
  static constexpr size_t kAtOnce = size_t{24} << 20, kEachSecond = size_t{4} << 20;

  bool take(uint32_t uid, size_t bytes);                  // false: the user must wait
  bool take(uint32_t uid, size_t bytes, int64_t now_ns);  // now_ns: steady

 private:
  struct Left {
    size_t bytes = kAtOnce;
    int64_t since_ns = 0;
  };
  std::map<uint32_t, Left> left_;
};

}  // namespace fmd::bus
