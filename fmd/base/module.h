// A module: a shared object of ours that a program opens only when it needs the libraries that come with it.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

// What a module has by that symbol; it stays open. name: of its file, which lies beside the program or, where there is none, in
// the folder `else_in`. Both are whole paths, never a bare name: that the loader would look for wherever it likes.
Result<const void*> open_module(std::string_view name, const char* symbol,
                                std::string_view else_in = {});

}  // namespace fmd
