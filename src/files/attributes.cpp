#include "files/attributes.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace notesdb {
namespace {

#ifdef __linux__
bool is_carried(std::string_view name) {
  return name.starts_with("user.") || name == "system.posix_acl_access";
}

bool carry_one(int from, int to, const char* name) {
  const ssize_t length = ::fgetxattr(from, name, nullptr, 0);
  if (length < 0) return errno == ENODATA || errno == ENOTSUP;
  std::string value(static_cast<std::size_t>(length), '\0');
  if (::fgetxattr(from, name, value.data(), value.size()) != length) return false;
  return ::fsetxattr(to, name, value.data(), value.size(), 0) == 0;
}

bool carry_extended(int from, int to) {
  const ssize_t length = ::flistxattr(from, nullptr, 0);
  if (length <= 0) return true;  // none, or a file system without them
  std::string names(static_cast<std::size_t>(length), '\0');
  if (::flistxattr(from, names.data(), names.size()) != length) return false;
  bool all = true;
  for (std::size_t at = 0; at < names.size(); at += std::strlen(names.c_str() + at) + 1) {
    const char* name = names.c_str() + at;
    if (is_carried(name) && !carry_one(from, to, name)) all = false;
  }
  return all;
}
#else
bool carry_extended(int, int) {
  return true;
}
#endif

}  // namespace

void carry_attributes(int from, int to, std::vector<std::string>& notes) {
  struct stat old {};
  struct stat fresh {};
  if (::fstat(from, &old) != 0 || ::fstat(to, &fresh) != 0) return;
  carry_attributes(from, old, to, fresh, notes);
}

void carry_attributes(int from,
                      const struct stat& old,
                      int to,
                      const struct stat& fresh,
                      std::vector<std::string>& notes) {
  const mode_t mode = old.st_mode & 0777U;  // set-user-id is not for rows
  if (old.st_uid != fresh.st_uid || old.st_gid != fresh.st_gid) {
    // An owner of many groups may give the group even where the owner cannot be kept.
    if (::fchown(to, old.st_uid, old.st_gid) != 0) {
      const bool group_kept = ::fchown(to, static_cast<uid_t>(-1), old.st_gid) == 0;
      if (old.st_uid != fresh.st_uid) notes.emplace_back("the file's owner could not be kept");
      if (!group_kept) notes.emplace_back("the file's group could not be kept");
    }
  }
  if (::fchmod(to, mode) != 0) notes.emplace_back("the file's mode could not be kept");
  if (!carry_extended(from, to)) {
    notes.emplace_back("an extended attribute or the access list could not be kept");
  }
}

void inherit_group(int folder, int file) {
  struct stat status {};
  if (::fstat(folder, &status) != 0 || (status.st_mode & S_ISGID) == 0) return;
  // Refused where the user is not of the group; the file then has the user's own.
  if (::fchown(file, static_cast<uid_t>(-1), status.st_gid) != 0) return;
}

}  // namespace notesdb
