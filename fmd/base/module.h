// Modules: shared objects of fmd that a program loads only when it needs their libraries.
#pragma once
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

// Returns the module's symbol; the module stays open. name: its file, in the program's folder or
// else in `else_in`. In the program's folder it must have the program's owner, and the folder must
// not be world-writable: a program may have been copied to /tmp.
Result<const void*> open_module(std::string_view name, const char* symbol,
                                std::string_view else_in = {});

}  // namespace fmd
