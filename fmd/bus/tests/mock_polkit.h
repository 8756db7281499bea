// MockPolkit: org.freedesktop.PolicyKit1 on a private bus, with answers set by the test.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "fmd/bus/sd_handles.h"

namespace fmd::test {

class MockPolkit {
 public:
  enum class Answer { allow, refuse, challenge, error, silent };

  // Owns the name when it returns; throws on failure.
  MockPolkit(sd_event* event, const std::string& address, Answer answer);

  Answer answer;
  std::vector<std::string> asked;                           // "ACTION by SUBJECT" + " interactive"
  std::vector<std::map<std::string, std::string>> details;  // per request
  void release();                                           // answers the silent ones with allow

 private:
  bus::BusPtr bus_;
  std::vector<bus::MessagePtr> waiting_;
  static int on_check(sd_bus_message* message, void* self, sd_bus_error* error);
};

}  // namespace fmd::test
