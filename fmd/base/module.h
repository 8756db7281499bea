// A module: a shared object of fmd that a program loads only when it needs the module's libraries.
#pragma once
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

// What a module has by that symbol; it stays open. name: of its file, which lies beside the program, or else in the folder
// `else_in`. Beside the program it must be its owner's, in a folder that not everybody may write to: a program may have been copied
// to /tmp.
Result<const void*> open_module(std::string_view name, const char* symbol,
                                std::string_view else_in = {});

}  // namespace fmd
