#include "files/names.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "files/failure.h"

namespace notesdb {

namespace {

Error not_allowed(std::string_view text, std::string_view why) {
  return Error{ErrorCode::path_not_allowed, quoted(to_utf8(text)) + " " + std::string(why)};
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
    return name.ends_with(ending);
  });
}

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The code point at `at`, which must begin one of valid UTF-8; moves on.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t point = lead & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more && at < text.size(); ++i) {
    point = (point << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return point;
}

struct Range {
  char32_t first;
  char32_t last;
};

// Code points that nobody sees in a name, or that turn it round.
constexpr std::array<Range, 13> invisible = {{{0x00, 0x1F},
                                              {0x7F, 0x9F},
                                              {0xAD, 0xAD},
                                              {0x61C, 0x61C},
                                              {0x180E, 0x180E},
                                              {0x200B, 0x200F},
                                              {0x2028, 0x202E},
                                              {0x2060, 0x2064},
                                              {0x2066, 0x206F},
                                              {0xFE00, 0xFE0E},
                                              {0xFEFF, 0xFEFF},
                                              {0xFFF9, 0xFFFF},
                                              {0xE0000, 0xE0FFF}}};

bool has_invisible(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const char32_t point = next_code_point(name, at);
    if (std::any_of(invisible.begin(), invisible.end(), [&](Range range) {
          return point >= range.first && point <= range.last;
        })) {
      return true;
    }
  }
  return false;
}

// CON, PRN, AUX, NUL, COM1..9, LPT1..9, alone or before a dot, in any case.
bool is_reserved_on_windows(std::string_view name) {
  std::string base = fold_case(name.substr(0, name.find('.')));
  while (base.ends_with(' '))
    base.pop_back();
  if (base == "con" || base == "prn" || base == "aux" || base == "nul") return true;
  if (base == "conin$" || base == "conout$") return true;
  return base.size() == 4 && (base.starts_with("com") || base.starts_with("lpt")) &&
         base[3] >= '1' && base[3] <= '9';
}

// ".name.XXXXXX": what rsync writes to, beside the file it will become.
bool is_rsync_partial(std::string_view name) {
  constexpr std::size_t random_letters = 6;
  if (!name.starts_with('.') || name.size() < random_letters + 3) return false;
  const std::string_view tail = name.substr(name.size() - random_letters);
  return name[name.size() - random_letters - 1] == '.' &&
         name.substr(1, name.size() - random_letters - 2).find('.') != std::string_view::npos &&
         std::all_of(tail.begin(), tail.end(), is_alphanumeric);
}

}  // namespace

Result<void> check_path(std::string_view path) {
  if (path == ".") return {};
  if (path.empty())
    return not_allowed(path, "is empty; a path names something below the workspace");
  if (path.find('\0') != std::string_view::npos) return not_allowed(path, "holds a NUL");
  if (path.find('\\') != std::string_view::npos) {
    return not_allowed(path, "holds a backslash; folders are divided by '/'");
  }
  if (path.front() == '/') return not_allowed(path, "is absolute; paths begin at the workspace");
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (segment.empty()) return not_allowed(path, "has an empty segment");
    if (segment == "." || segment == "..") {
      return not_allowed(path,
                         "has a segment '" + std::string(segment) + "'; name things directly");
    }
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
}

Result<void> check_new_name(std::string_view name) {
  if (name.empty()) return not_allowed(name, "is empty; a name has at least one character");
  if (name.size() > longest_new_name) {
    return not_allowed(name, "is longer than " + std::to_string(longest_new_name) + " bytes");
  }
  if (!is_utf8(name)) return not_allowed(name, "is not UTF-8");
  if (name.find_first_of("<>:\"/\\|?*") != std::string_view::npos) {
    return not_allowed(name, "holds one of < > : \" / \\ | ? *, which other systems refuse");
  }
  if (has_invisible(name)) {
    return not_allowed(name, "holds a control, zero-width or direction character");
  }
  if (name.find_first_of("-.~ ") == 0) {
    return not_allowed(name, "begins with '-', '.', '~' or a space");
  }
  if (name.back() == '.' || name.back() == ' ') {
    return not_allowed(name, "ends with a dot or a space, which Windows drops");
  }
  if (is_reserved_on_windows(name)) return not_allowed(name, "is a device's name on Windows");
  if (to_nfc(name) != name) return not_allowed(name, "is not in Unicode's composed form (NFC)");
  return {};
}

Result<void> check_new_path(std::string_view path) {
  if (Result<void> fits = check_path(path); !fits) return fits;
  while (true) {
    const std::size_t slash = path.find('/');
    if (Result<void> fits = check_new_name(path.substr(0, slash)); !fits) return fits;
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
}

std::string folded_name(std::string_view name) {
  return fold_case(to_nfc(name));
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view(".") : path.substr(0, slash);
}

std::string_view name_in(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder == ".") return std::string(name);
  return std::string(folder) + "/" + std::string(name);
}

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

std::string_view stem_of(std::string_view name) {
  return name.substr(0, name.size() - ending_of(name).size());
}

bool is_dropping(std::string_view name) {
  if (name.starts_with(".#") || name.starts_with("~$") || name.starts_with(".~lock.")) return true;
  if (name.size() > 1 && name.front() == '#' && name.back() == '#') return true;
  if (name.front() == '.' && ends_with_any(name, {".swp", ".swo", ".swn", ".swx"})) return true;
  if (ends_with_any(name, {"~", ".orig", ".rej", ".icloud", ".crdownload", ".part"})) return true;
  if (name == "4913" || name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini") {
    return true;
  }
  if (name.size() == 9 && name.starts_with("sed")) {  // sedXXXXXX of sed -i
    return std::all_of(name.begin() + 3, name.end(), is_alphanumeric);
  }
  if (name.starts_with(".sed")) return true;
  if (name.starts_with("~syncthing~") || name.starts_with(".syncthing.")) return true;
  return is_rsync_partial(name);
}

bool is_conflict_copy(std::string_view name) {
  if (name.find(".sync-conflict-") != std::string_view::npos) return true;
  if (name.find('(') == std::string_view::npos) return false;  // as nearly all
  const std::size_t open = name.rfind('(');
  const std::size_t close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return false;
  }
  const std::string_view inside = name.substr(open + 1, close - open - 1);
  return inside.starts_with("conflict ") ||
         inside.find("conflicted copy") != std::string_view::npos;
}

bool is_skipped_folder(std::string_view name) {
  return name.starts_with('.') || name == "node_modules" || name == "assets";
}

}  // namespace notesdb
