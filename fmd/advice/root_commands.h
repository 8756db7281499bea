// Root commands: which commands in a text only root can run. Messages name them in one sentence,
// since a mail's reader may be any user. Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/advice/say.h"

namespace fmd {

// "Run as root, for example with sudo: fmadm replace, zpool clear."; "" there is none.
std::string root_words(const Say& say);
// Whether root_words() may name commands of that program.
bool may_need_root(std::string_view program);

}  // namespace fmd
