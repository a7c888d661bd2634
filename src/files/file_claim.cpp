#include "files/file_claim.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/reading.h"
#include "files/root.h"

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

namespace {

constexpr int random_part = 4;

FileStat stat_of(const Place& place) {
  struct stat status {};
  if (::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return to_file_stat(status);
}

bool same_file(const StatKey& a, const StatKey& b) {
  return a.inode == b.inode && a.device == b.device;
}

// Nobody has written to the file since it was claimed, nor is one waiting to.
bool is_undisturbed(const FileClaim& claim) {
  std::string bytes;
  if (read_whole(claim.file.get(), max_file + 1, bytes, claim.key.size) != 0) return false;
  if (etag_of(bytes) != claim.etag) return false;
  return !claim.leased || kernel::holds_read_lease(claim.file.get());
}

std::string time_in_names() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32] = {};
  const std::size_t length =
      std::strftime(static_cast<char*>(text), sizeof text, "%Y-%m-%d %H%M%S", &local);
  return std::string(static_cast<char*>(text), length);
}

Move failed(int error) {
  return Move{Moved::failed, error};
}

// Our bytes are in the row's place, and what came out is not what we claimed: give it back.
Move swap_back(const Place& row, const Ready& ready, std::vector<std::string>& notes) {
  const Place& temp = ready.place;
  const auto exchange = [&] {
    return kernel::exchange(temp.folder, temp.name.c_str(), row.folder, row.name.c_str());
  };
  int error = exchange();
  if (error != 0 && error != ENOENT) error = exchange();  // it may have been of a moment
  if (error != 0) {
    // The row's place is empty again. That is git's way (remove, then write again), and git would
    // stop half-way if we filled it.
    set_aside(temp, row, notes);
    return Move{Moved::disturbed};
  }
  // What came out now should be ours, untouched. Otherwise a third program wrote between.
  const Descriptor file = kernel::open_to_read(temp.folder, temp.name.c_str());
  std::string bytes;
  const bool ours = same_file(stat_of(temp).key, ready.key) && file &&
                    read_whole(file.get(), max_file + 1, bytes, ready.key.size) == 0 &&
                    etag_of(bytes) == ready.etag;
  if (!ours) set_aside(temp, row, notes);
  return Move{Moved::disturbed};
}

// To where it was; once more after an error of a moment, and never over what lies there now.
bool moves_back(const Place& from, const Place& to) {
  constexpr int max_attempts = 2;
  int error = EAGAIN;
  for (int attempt = 0; attempt < max_attempts && error != 0 && error != EEXIST; ++attempt)
    error = kernel::rename_new(from.folder, from.name.c_str(), to.folder, to.name.c_str());
  return error == 0;
}

// Keeps the row's version under `name` by a second link, or by a copy where there are no links.
int keep_version(const FileClaim& claim, const Place& row, const Place& kept) {
  if (::linkat(row.folder, row.name.c_str(), kept.folder, kept.name.c_str(), 0) == 0) {
    return same_file(stat_of(kept).key, claim.key) ? 0 : ESTALE;
  }
  constexpr mode_t owner_only = 0600;
  std::string bytes;
  if (const int error = read_whole(claim.file.get(), max_file + 1, bytes)) return error;
  const Descriptor copy(::openat(
      kept.folder, kept.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only));
  if (!copy) return errno;
  std::vector<std::string> unsaid;
  carry_attributes(claim.file.get(), copy.get(), unsaid);
  if (const int error = write_whole(copy.get(), bytes)) return error;
  return kernel::sync_file(copy.get());
}

// Without an exchange: keep, look, rename over. The look and the rename are two calls.
Move replace_by_rename(const FileClaim& claim,
                       const Place& row,
                       const Ready& ready,
                       std::vector<std::string>& notes) {
  const Place& temp = ready.place;
  const Place kept{temp.folder, temp.name + ".old"};
  const auto drop_kept = [&] { ::unlinkat(kept.folder, kept.name.c_str(), 0); };
  if (const int error = keep_version(claim, row, kept)) {
    drop_kept();
    return error == ENOENT || error == ESTALE ? Move{Moved::disturbed} : failed(error);
  }
  if (!is_undisturbed(claim) || !same_file(stat_of(row).key, claim.key)) {
    drop_kept();
    return Move{Moved::disturbed};
  }
  if (::renameat(temp.folder, temp.name.c_str(), row.folder, row.name.c_str()) != 0) {
    const int error = errno;
    drop_kept();
    return failed(error);
  }
  ::renameat(kept.folder, kept.name.c_str(), temp.folder, temp.name.c_str());
  notes.emplace_back(
      "this file system cannot exchange two files, so a save by another program in the same "
      "instant would not have been noticed");
  return Move{};
}

}  // namespace

FileClaim take_claim(const Place& place, Etag expected) {
  FileClaim claim;
  claim.file = kernel::open_to_read(place.folder, place.name.c_str());
  if (!claim.file) {
    claim.error = errno;
    if (errno == ENOENT) claim.state = GripState::gone;
    return claim;
  }
  // There is no lease of what is no regular file; the reading tells.
  const int refused = kernel::take_read_lease(claim.file.get());
  claim.leased = refused == 0;
  if (refused == EAGAIN) {
    claim.state = GripState::being_written;
    return claim;
  }
  std::string bytes;
  const FileReading reading = read_settled(claim.file.get(), max_file, bytes);
  claim.error = reading.error;
  if (reading.state == ReadState::being_written) claim.state = GripState::being_written;
  if (reading.state == ReadState::not_regular) claim.state = GripState::not_regular;
  if (reading.state == ReadState::too_large) claim.error = EFBIG;
  if (reading.state != ReadState::whole) return claim;
  claim.key = reading.key;
  claim.etag = etag_of(bytes);
  claim.state = claim.etag == expected ? GripState::held : GripState::changed;
  return claim;
}

Move exchange_claimed(const FileClaim& claim,
                      const Place& row,
                      const Ready& ready,
                      std::vector<std::string>& notes) {
  const Place& temp = ready.place;
  const int error = kernel::exchange(temp.folder, temp.name.c_str(), row.folder, row.name.c_str());
  if (error == ENOENT) return Move{Moved::gone};
  if (error == ENOTSUP) return replace_by_rename(claim, row, ready, notes);
  if (error != 0) return failed(error);
  if (same_file(stat_of(temp).key, claim.key) && is_undisturbed(claim)) return Move{};
  return swap_back(row, ready, notes);
}

Move move_claimed(const FileClaim& claim,
                  const Place& row,
                  const Place& target,
                  std::vector<std::string>& notes) {
  const int error =
      kernel::rename_new(row.folder, row.name.c_str(), target.folder, target.name.c_str());
  if (error == ENOENT) return Move{Moved::gone};
  if (error == EEXIST) return Move{Moved::taken};
  if (error != 0) return failed(error);
  if (same_file(stat_of(target).key, claim.key) && is_undisturbed(claim)) return Move{};
  if (!moves_back(target, row)) set_aside(target, row, notes);
  return Move{Moved::disturbed};
}

Move rename_claimed(const FileClaim& claim,
                    const Place& row,
                    const Place& target,
                    std::vector<std::string>& notes) {
  const Move move = move_claimed(claim, row, target, notes);
  const bool itself = move.state == Moved::taken && same_file(stat_of(target).key, claim.key) &&
                      folded_name(row.name) == folded_name(target.name);
  if (!itself) return move;
  const Place third{target.folder, ".notesdb-" + random_letters(random_part * 2)};
  const Move first = move_claimed(claim, row, third, notes);
  if (first.state != Moved::done) return first;
  const Move second = move_claimed(claim, third, target, notes);
  if (second.state == Moved::done) return second;
  move_claimed(claim, third, row, notes);
  return second;
}

bool set_aside(const Place& from, const Place& row, std::vector<std::string>& notes) {
  constexpr int tries = 8;
  for (int i = 0; i < tries; ++i) {
    const std::string name = std::string(stem_of(row.name)) + " (conflict " + time_in_names() +
                             " " + random_letters(random_part) + ")" +
                             std::string(ending_of(row.name));
    const int error = kernel::rename_new(from.folder, from.name.c_str(), row.folder, name.c_str());
    if (error == 0) {
      notes.push_back("another program's version was saved as " + quoted(name));
      return true;
    }
    if (error != EEXIST) return false;
  }
  return false;
}

}  // namespace notesdb
