// Holders: callers whose request lasts as long as their bus connection. Reports when one has left,
// for any reason. Never blocks. Single thread.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

class Holders {
 public:
  using Left = std::function<void(const std::string& holder)>;

  explicit Holders(Left left) : left_(std::move(left)) {}

  // A name of the sender that is never reused, or "". A bus never reuses unique names, but every
  // bus begins with ":1.0", so its own id is the prefix.
  static std::string name_of(sd_bus_message* message);

  // If the holder is not on this bus (any more), reports it as left. Returns a negative errno.
  int watch(sd_bus* bus, const std::string& holder);
  void forget(const std::string& holder);
  void forget_all();  // the connection is lost

 private:
  struct Watch {
    Holders* owner;
    std::string holder;
    SlotPtr match, question;
  };
  Left left_;
  std::map<std::string, Watch> watches_;

  void left(const std::string& holder);
  static int on_owner_changed(sd_bus_message* signal, void* watch, sd_bus_error*);
  static int on_match_added(sd_bus_message* reply, void* watch, sd_bus_error*);
  static int on_has_owner(sd_bus_message* reply, void* watch, sd_bus_error*);
};

}  // namespace fmd::bus
