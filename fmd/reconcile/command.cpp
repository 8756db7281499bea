#include "fmd/reconcile/command.h"

#include <array>

namespace fmd {

std::string_view command_name(CommandName name) {
  constexpr std::array<std::string_view, 6> kNames{"retire",    "restore", "spare_in",
                                                   "spare_out", "replace", "set_led"};
  return kNames[static_cast<size_t>(name)];
}

}  // namespace fmd
