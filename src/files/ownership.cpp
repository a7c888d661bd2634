#include "files/ownership.h"

#include <unistd.h>

namespace notesdb {

std::optional<std::string> find_distrust(const struct stat& status, Trusted trusted) {
  const bool is_ours = status.st_uid == ::geteuid();
  const bool is_roots = status.st_uid == 0 && trusted == Trusted::us_or_root;
  if (!is_ours && !is_roots)
    return "belongs to another user (uid " + std::to_string(status.st_uid) + ")";
  if ((status.st_mode & S_IWOTH) != 0) return "can be written by every user";
  const bool may_group = is_ours && trusted == Trusted::us_or_root;
  if ((status.st_mode & S_IWGRP) != 0 && !may_group)
    return "can be written by its group (gid " + std::to_string(status.st_gid) + ")";
  return std::nullopt;
}

}  // namespace notesdb
