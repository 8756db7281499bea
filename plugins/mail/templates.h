// Templates: an administrator's texts for mails: subject.txt, body.txt and body.html in a folder,
// each optional. Only named placeholders such as ${host} are replaced; $$ is a dollar. Checked when
// they are read: a mail about a broken disk must not fail at a template. Pure except load().
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd::mail {

using Values = std::map<std::string, std::string, std::less<>>;  // by name of the placeholder

// Replaces each placeholder by its value, or by "" if it has none.
std::string filled(std::string_view text, const Values& values);

struct Templates {
  std::string subject = "${subject}";
  std::string body = "${body}";
  std::string html;  // the shipped page, unless the folder has another

  Templates();
  // A missing folder is no error. Errors name the file, the line and the problem.
  static Result<Templates> load(const std::string& folder);
};

}  // namespace fmd::mail
