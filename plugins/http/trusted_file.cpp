#include "plugins/http/trusted_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "fmd/base/text.h"

namespace fmd::http {
namespace {

Result<void> check_one(const std::string& path, bool whole, bool runnable) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return fail(strerror(errno), path);
  if (S_ISLNK(file.st_mode)) return fail("is a link; name the file that it leads to", path);
  if (file.st_uid != 0) return fail("is not root's", path);
  const bool sticky = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0;
  if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky)
    return fail("others than root may write to it", path);
  if (!whole) return {};
  if (!S_ISREG(file.st_mode)) return fail("is no file", path);
  if (runnable && (file.st_mode & S_IXUSR) == 0) return fail("cannot be executed", path);
  return {};
}

}  // namespace

Result<void> check_trusted(const std::string& path, bool runnable) {
  if (!path.starts_with('/') || path.find("/../") != path.npos || path.ends_with('/'))
    return fail("must be a file's whole path", display(path));
  // The owner of a parent folder can replace this folder.
  for (size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
    if (auto good = check_one(path.substr(0, end), false, false); !good) return good;
  return check_one(path, true, runnable);
}

}  // namespace fmd::http
