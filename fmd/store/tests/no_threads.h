// NoThreads: while it exists, no thread can start: its stack would exceed the address space.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <stdexcept>

namespace fmd::test {

class NoThreads {
 public:
  NoThreads() {
    pthread_attr_t larger;
    if (pthread_getattr_default_np(&usual_) != 0 || pthread_getattr_default_np(&larger) != 0 ||
        pthread_attr_setstacksize(&larger, size_t{1} << 46) != 0 ||
        pthread_setattr_default_np(&larger) != 0)
      throw std::runtime_error("the size of stacks cannot be set");
    pthread_attr_destroy(&larger);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t usual_;
};

}  // namespace fmd::test
