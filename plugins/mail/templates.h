// Templates: what an administrator would rather have a mail say: subject.txt, body.txt and body.html in a
// folder, each optional. The only thing that is replaced are named placeholders, ${host}; $$ is a dollar.
// Checked when they are read: a mail about a broken disk must not fail at a template. Pure but for load().
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd::mail {

using Values = std::map<std::string, std::string, std::less<>>;  // by placeholder

// The text with each placeholder's value; what has none is left empty.
std::string filled(std::string_view text, const Values& values);

struct Templates {
  std::string subject = "${subject}";
  std::string body = "${body}";
  std::string html;  // the shipped one, unless the folder has another

  Templates();
  // The folder need not be there. The error names file, line and what is wrong.
  static Result<Templates> load(const std::string& folder);
};

}  // namespace fmd::mail
