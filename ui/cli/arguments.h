// Arguments: interprets the words of a command line: a case by the beginning of its id, a part
// whose name has blanks but was not quoted.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// Whether it may begin a case's id: at least four characters.
bool is_id_prefix(std::string_view text);
// The case with this id or prefix; an error if there are none or several.
Result<std::string> case_id(Client& client, const std::string& given);

// "SLOT 04", "SLOT 05" from the words SLOT 04 SLOT 05: joins as many words as form a part's name.
// Words that form none stay alone.
std::vector<std::string> parts_meant(const Inventory& inventory,
                                     const std::vector<std::string>& words);
std::string joined(const std::vector<std::string>& words);
// Quoted for the shell.
std::string quoted(const std::string& word);

}  // namespace fmd::cli
