// Arguments: what a person means by the words of a command line: a case by the beginning of its id, a part whose name has
// blanks in it and was not quoted.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// Could begin a case's id: at least four characters of it.
bool is_id_prefix(std::string_view text);
// The case whose id is this, or begins so; an error where there is none, or several.
Result<std::string> case_id(Client& client, const std::string& given);

// "SLOT 04", "SLOT 05" of the words SLOT 04 SLOT 05: as many at a time as make a part's name. A word that is none stays
// by itself.
std::vector<std::string> parts_meant(const Inventory& inventory,
                                     const std::vector<std::string>& words);
std::string joined(const std::vector<std::string>& words);
// As the shell wants it.
std::string quoted(const std::string& word);

}  // namespace fmd::cli
