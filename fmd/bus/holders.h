// Holders: callers whose request lasts as long as their connection to the bus. Reports when one has
// left, for whatever reason. Never blocks. Single thread.
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

  // The name of a message's sender that nobody else will ever have, "" when there is none: a bus
  // gives a unique name once only, but every bus begins with ":1.0", so its own id goes before.
  static std::string name_of(sd_bus_message* message);

  // One that is not (any more) on this bus has left. Returns a negative errno.
  int watch(sd_bus* bus, const std::string& holder);
  void forget(const std::string& holder);
  void forget_all();  // the connection is gone

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
