#include "files/writable_path.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "core/file_name.h"
#include "core/text.h"
#include "files/failure.h"
#include "files/names.h"

namespace notesdb {

namespace {

// Of views and canvases of a neighbouring tool, whose links are kept right.
constexpr std::array<std::string_view, 2> neighbour_endings{".base", ".canvas"};

constexpr mode_t running = 07111;

Error not_ours(std::string_view path, std::string_view why) {
  return Error{ErrorCode::path_not_allowed,
               quoted(to_utf8(path)) + " " + std::string(why) +
                   "; only rows, schemas and notesdb.yaml are written"};
}

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
}

struct Alias {
  std::string_view written;
  std::string_view read;
};

// Code points that a file system may pass over, or read as a dot.
constexpr std::array<Alias, 22> aliases = {{
    {"\u00ad", ""},  {"\u034f", ""},  {"\u061c", ""}, {"\u180e", ""}, {"\u200b", ""},
    {"\u200c", ""},  {"\u200d", ""},  {"\u200e", ""}, {"\u200f", ""}, {"\u202a", ""},
    {"\u202b", ""},  {"\u202c", ""},  {"\u202d", ""}, {"\u202e", ""}, {"\u2060", ""},
    {"\u206a", ""},  {"\u206b", ""},  {"\u206f", ""}, {"\ufeff", ""}, {"\u2024", "."},
    {"\ufe52", "."}, {"\uff0e", "."},
}};

// The segment as the system that is least strict about names may read it.
std::string plainly(std::string_view segment) {
  std::string plain;
  for (std::size_t at = 0; at < segment.size();) {
    const auto alias = std::find_if(aliases.begin(), aliases.end(), [&](const Alias& each) {
      return segment.substr(at).starts_with(each.written);
    });
    if (alias == aliases.end()) {
      plain += segment[at++];
    } else {
      plain += alias->read;
      at += alias->written.size();
    }
  }
  return fold_case(to_nfc(plain));
}

// "git~1": the short name that Windows gives to ".git".
bool is_short_name_of(std::string_view segment, std::string_view beginning) {
  if (!segment.starts_with(beginning) || segment.size() == beginning.size()) return false;
  segment.remove_prefix(beginning.size());
  return segment.front() >= '0' && segment.front() <= '9';
}

Result<void> check_segment(std::string_view path, std::string_view segment) {
  const std::string plain = is_ascii(segment) ? fold_case(segment) : plainly(segment);
  if (plain.empty() || plain.front() == '.')
    return not_ours(path, "has a segment that begins with a dot");
  if (plain == "node_modules") return not_ours(path, "leads through node_modules");
  if (is_short_name_of(plain, "git~") || is_short_name_of(plain, "notesd~"))
    return not_ours(path, "has a segment that Windows takes for one with a leading dot");
  return {};
}

}  // namespace

Result<void> check_writable_folder(std::string_view path) {
  if (Result<void> fits = check_path(path); !fits) return fits;
  if (path == ".") return not_ours(path, "is the workspace itself");
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    if (Result<void> fits = check_segment(path, rest.substr(0, slash)); !fits) return fits;
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Result<void> check_writable_path(std::string_view path) {
  if (Result<void> fits = check_writable_folder(path); !fits) return fits;
  const std::string ending = fold_case(ending_of(name_in(path)));
  if (std::ranges::find(neighbour_endings, ending) != neighbour_endings.end() ||
      !row_file_ending("row" + ending).empty())
    return {};
  return not_ours(path, "does not end as a row does (.md, .yaml, .yml)");
}

Result<void> check_writable_step(StepKind kind, std::string_view path, std::string_view new_path) {
  const bool is_folder = kind == StepKind::create_folder || kind == StepKind::remove_folder;
  Result<void> fits = is_folder ? check_writable_folder(path) : check_writable_path(path);
  if (fits && kind == StepKind::rename) fits = check_writable_path(new_path);
  if (!fits) return fits;
  if (kind == StepKind::rename) return check_new_name(name_in(new_path));
  const bool adds = kind == StepKind::create || kind == StepKind::create_folder;
  return adds ? check_new_name(name_in(path)) : fits;
}

int forbid_running(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return errno;
  if ((status.st_mode & running) == 0) return 0;
  return ::fchmod(file, status.st_mode & 0777U & ~running) == 0 ? 0 : errno;
}

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
