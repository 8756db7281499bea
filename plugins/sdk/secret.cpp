#include "plugins/sdk/secret.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "fmd/base/text.h"

namespace fmd::sdk {

namespace {

std::string cannot_read(const std::string& file, int error) {
  const std::string why = std::string("cannot be read: ") + strerror(error);
  const passwd* self = getpwuid(geteuid());
  if (error != EACCES || !self) return why;
  return why + ": run 'chown " + display(self->pw_name) + " " + display(file) + "'";
}

}  // namespace

Result<std::string> read_secret(const std::string& file) {
  struct stat about {};
  std::ifstream in(file);
  if (!in || stat(file.c_str(), &about) != 0) return fail(cannot_read(file, errno), file);
  if ((about.st_mode & S_IRWXO) != 0)
    return fail("can be read by other users: run 'chmod o= " + display(file) + "'", file);
  std::string line;
  if (!std::getline(in, line) || line.empty()) return fail("has no secret in its first line", file);
  if (display(line, line.size()) != line) return fail("has control characters", file);
  return line;
}

}  // namespace fmd::sdk
