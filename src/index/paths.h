// Paths: database ids and row ids are names, not paths, and this is where names become paths.
//
//   row "row-001" of database "work/tasks"      <->  work/tasks/row-001.md (or .yaml, .yml)
//   row "2026/january", include: ["**/*.md"]    <->  work/tasks/2026/january.md
//   row "git", layout: folder                   <->  work/tasks/git/index.md (or _index.md)
//   row "git", layout: mixed                    <->  work/tasks/git.md or work/tasks/git/index.md
//   row "git.fr", folder or mixed               <->  work/tasks/git/index.fr.md
//   row "Git", mixed, folder_note: name         <->  work/tasks/Git.md or work/tasks/Git/Git.md
//
// Everything here is pure: names are judged before anything is opened, and files/ judges them
// again, by the kernel, when it opens them. Paths are relative: row paths to their database,
// database ids to the workspace; '/' stands between names on every system.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/schema.h"

namespace notesdb {

// Glob: a pattern of paths, as the include and exclude lists of a schema write it.
//
//   *       any run of bytes within one folder name      notes/*.md
//   ?       one character, never a slash
//   [a-z]   one character of a set; [!a-z] one outside it
//   **      any number of folders, also none             **/*.md   archive/**
//   \x      the character x itself
//
// A pattern matches the whole path, from the folder of the database. Matching takes time in
// proportion to path length times pattern length, whatever the pattern: there is no backtracking.

class Glob {
 public:
  // Fails with invalid_argument for an empty or absolute pattern, an unclosed set, or one with
  // more than 1,000 bytes.
  static Result<Glob> parse(std::string_view pattern);

  bool matches(std::string_view path) const;
  // Whether a path below this folder could match: false lets a walk skip the folder.
  bool may_match_below(std::string_view folder) const;

 private:
  enum class StepKind { character, any_character, set, star, folders, everything };
  struct Range {
    char32_t first = 0;
    char32_t last = 0;
  };
  struct Step {
    StepKind kind = StepKind::character;
    char32_t character = 0;
    bool negated = false;
    std::vector<Range> ranges{};
  };
  // Which steps are waiting for the next character; one past the last means matched.
  using Active = std::vector<bool>;

  static Result<Step> parse_set(const std::u32string& pattern, std::size_t& at);
  static bool accepts(const Step& step, char32_t character);
  Active run(std::string_view path) const;
  void enter(Active& active, std::size_t step) const;
  void advance(std::size_t step, char32_t character, Active& next) const;

  std::vector<Step> steps_;
};

// Refuses with path_not_allowed what is no relative path of plain names: empty, absolute, `.` and
// `..` segments, empty segments, NUL, backslash, names that begin with a dot. "." alone, the root
// itself, is a database id.
Result<void> check_database_id(std::string_view id);
Result<void> check_row_id(std::string_view id);
// Stricter, for an id about to be made: a name that travels to every other system (check_new_name
// of files/names.h), and no `_` in front.
Result<void> check_new_row_id(std::string_view id);

// The names under which a database's folder holds its schema.
bool is_schema_name(std::string_view name);

enum class FileRole { row, conflict_copy, other };

// RowIdText: a row's id as its path has it: nearly always a part of the path, which it must not
// outlive.
class RowIdText {
 public:
  explicit RowIdText(std::string_view part) : part_(part) {}
  explicit RowIdText(std::string made) : made_(std::move(made)) {}

  operator std::string_view() const { return made_.empty() ? part_ : std::string_view(made_); }
  bool empty() const { return made_.empty() && part_.empty(); }
  // Whether it is no part of the path.
  bool is_made() const { return !made_.empty(); }

  friend bool operator==(const RowIdText& a, const RowIdText& b) {
    return std::string_view(a) == std::string_view(b);
  }
  friend bool operator==(const RowIdText& a, std::string_view b) {
    return std::string_view(a) == b;
  }

 private:
  std::string_view part_;
  std::string made_;
};

// Which files of a database are rows, and what the rows are called.
class RowNames {
 public:
  // Fails with invalid_argument where a glob is none.
  static Result<RowNames> of(const RowFiles& files);

  FileRole role_of(std::string_view path) const;
  // The id of the row at a path whose role is row.
  RowIdText id_of(std::string_view path) const;
  // Whether the row is the index of a folder of its own.
  bool is_bundle(std::string_view path) const { return bundle_of(path).has_value(); }
  // The path of the row at `path` under another id: the same kind of file. Empty if the database would
  // not list it.
  std::string path_under(std::string_view path, std::string_view new_id) const;
  // Whether rows may lie in this folder below the database.
  bool enters(std::string_view folder) const;
  // Whether any sub-folder may hold rows at all.
  bool is_recursive() const { return recursive_; }
  // The paths at which a row of this id may lie, the one that counts first. Empty if the database
  // would list none of them.
  std::vector<std::string> candidates(std::string_view id) const;
  // The folder in which rows without a wish of their own are made: "", or "entries/" where rows are
  // included from such a folder only.
  std::string folder_of_new() const;

 private:
  // The index of a folder: "git/index.fr.md" is folder "git", name "index", language "fr".
  struct Bundle {
    std::string_view folder;
    std::string_view name;
    std::string_view language;
  };
  std::optional<Bundle> bundle_of(std::string_view path) const;
  void add_bundles(std::string_view folder,
                   std::string_view language,
                   std::vector<std::string>& paths) const;
  void take_endings();
  bool is_included(std::string_view path) const;
  bool is_named_by_include(std::string_view path) const;
  bool enters_folders_of(std::string_view path) const;

  RowLayout layout_ = RowLayout::file;
  FolderNote folder_note_ = FolderNote::index;
  std::vector<std::string_view> endings_;  // that rows may have
  std::vector<std::string> include_patterns_;
  std::vector<Glob> include_;
  std::vector<Glob> exclude_;
  bool recursive_ = false;
};

}  // namespace notesdb
