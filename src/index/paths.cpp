#include "index/paths.h"

#include <algorithm>
#include <array>

#include "core/file_name.h"
#include "core/text.h"
#include "files/names.h"

namespace notesdb {

namespace {

constexpr std::size_t longest_pattern = 1000;
constexpr char32_t stray_byte = 0x110000;  // beyond Unicode: a byte that is not UTF-8

std::size_t sequence_length(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 1;
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// One character from `at` on; a byte that begins none stands for itself, outside Unicode.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  const bool whole = length > 1 && at + length <= text.size() &&
                     std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                 text.begin() + static_cast<std::ptrdiff_t>(at + length),
                                 continues);
  if (!whole) {
    ++at;
    return lead < 0x80 ? lead : stray_byte + lead;
  }
  char32_t character = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    character = (character << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at += length;
  return character;
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();)
    characters.push_back(next_character(text, at));
  return characters;
}

Error bad_glob(std::string_view pattern, std::string_view why) {
  return {ErrorCode::invalid_argument,
          "the glob '" + std::string(pattern) + "' " + std::string(why),
          Map{}};
}

}  // namespace

Result<Glob::Step> Glob::parse_set(const std::u32string& pattern, std::size_t& at) {
  Step step{StepKind::set};
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == U'!' || pattern[i] == U'^')) {
    step.negated = true;
    ++i;
  }
  for (bool first = true; i < pattern.size() && (first || pattern[i] != U']'); first = false) {
    const bool is_range =
        i + 2 < pattern.size() && pattern[i + 1] == U'-' && pattern[i + 2] != U']';
    step.ranges.push_back({pattern[i], is_range ? pattern[i + 2] : pattern[i]});
    i += is_range ? 3 : 1;
  }
  if (i >= pattern.size()) return Error{ErrorCode::invalid_argument, "", Map{}};
  at = i + 1;
  return step;
}

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty()) return bad_glob(pattern, "is empty");
  if (pattern.front() == '/') return bad_glob(pattern, "is absolute; write it from the database");
  if (pattern.size() > longest_pattern) return bad_glob(pattern, "is longer than 1,000 bytes");
  const std::u32string text = characters_of(pattern);
  Glob glob;
  for (std::size_t at = 0; at < text.size();) {
    const bool at_start = at == 0 || text[at - 1] == U'/';
    if (at_start && text.compare(at, 3, U"**/") == 0) {
      glob.steps_.push_back({StepKind::folders});
      at += 3;
    } else if (at_start && text.compare(at, std::u32string::npos, U"**") == 0) {
      glob.steps_.push_back({StepKind::everything});
      at += 2;
    } else if (text[at] == U'*') {
      glob.steps_.push_back({StepKind::star});
      at = std::min(text.find_first_not_of(U'*', at), text.size());
    } else if (text[at] == U'?') {
      glob.steps_.push_back({StepKind::any_character});
      ++at;
    } else if (text[at] == U'[') {
      auto set = parse_set(text, at);
      if (!set) return bad_glob(pattern, "opens a set with '[' that it does not close");
      glob.steps_.push_back(std::move(*set));
    } else {
      if (text[at] == U'\\' && at + 1 < text.size()) ++at;
      glob.steps_.push_back({StepKind::character, text[at]});
      ++at;
    }
  }
  return glob;
}

bool Glob::accepts(const Step& step, char32_t character) {
  if (step.kind == StepKind::character) return step.character == character;
  if (step.kind == StepKind::everything || step.kind == StepKind::folders) return true;
  if (character == U'/') return false;
  if (step.kind != StepKind::set) return true;
  const bool inside = std::any_of(step.ranges.begin(), step.ranges.end(), [&](Range range) {
    return range.first <= character && character <= range.last;
  });
  return inside != step.negated;
}

// A star, folders and everything may also match nothing, so what follows them waits too.
void Glob::enter(Active& active, std::size_t step) const {
  while (step < steps_.size() && !active[step]) {
    active[step] = true;
    const StepKind kind = steps_[step].kind;
    if (kind != StepKind::star && kind != StepKind::folders && kind != StepKind::everything) return;
    ++step;
  }
  if (step == steps_.size()) active[step] = true;
}

void Glob::advance(std::size_t step, char32_t character, Active& next) const {
  if (!accepts(steps_[step], character)) return;
  switch (steps_[step].kind) {
    case StepKind::star:
    case StepKind::everything: enter(next, step); break;
    case StepKind::folders:
      next[step] = true;
      if (character == U'/') enter(next, step + 1);
      break;
    default: enter(next, step + 1);
  }
}

Glob::Active Glob::run(std::string_view path) const {
  Active active(steps_.size() + 1);
  Active next(steps_.size() + 1);
  enter(active, 0);
  for (std::size_t at = 0; at < path.size();) {
    const char32_t character = next_character(path, at);
    next.assign(next.size(), false);
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (active[step]) advance(step, character, next);
    }
    active.swap(next);
  }
  return active;
}

// Most globs are `notes/**/*.md` or parts of that: a beginning, folders, a star, an ending. They are
// looked at once from either side; every file of a walk is asked for.
bool Glob::matches(std::string_view path) const {
  const auto is_letter = [](const Step& step) {
    return step.kind == StepKind::character && step.character < 0x80;
  };
  const auto is_at = [](const Step& step, char letter) {
    return step.character == static_cast<unsigned char>(letter);
  };
  std::string_view rest = path;
  auto step = steps_.begin();
  for (; step != steps_.end() && is_letter(*step); ++step, rest.remove_prefix(1))
    if (rest.empty() || !is_at(*step, rest.front())) return false;
  if (step == steps_.end()) return rest.empty();
  const bool has_folders = step->kind == StepKind::folders;
  const auto star = has_folders ? step + 1 : step;
  const bool ends_simply = star != steps_.end() && star->kind == StepKind::star &&
                           std::all_of(star + 1, steps_.end(), [&](const Step& one) {
                             return is_letter(one) && one.character != U'/';
                           });
  if (!ends_simply) return run(path)[steps_.size()];
  for (auto last = steps_.end(); last != star + 1; rest.remove_suffix(1))
    if (rest.empty() || !is_at(*--last, rest.back())) return false;
  return has_folders || rest.find('/') == std::string_view::npos;
}

bool Glob::may_match_below(std::string_view folder) const {
  const Active active = run(std::string(folder) + "/");
  return std::find(active.begin(), active.end(), true) != active.end();
}

namespace {

constexpr std::size_t longest_id = 4096;  // no path is longer
constexpr std::size_t longest_shown = 100;
// Those of rows where a schema includes nothing by name.
constexpr std::array<std::string_view, 5> usual_endings = {
    ".md", ".markdown", ".mdx", ".yaml", ".yml"};
constexpr std::array<std::string_view, 2> index_names = {"index", "_index"};

Error not_allowed(std::string_view what, std::string_view id, std::string_view why) {
  return Error{ErrorCode::path_not_allowed,
               "the " + std::string(what) + " id '" + escape_controls(id) + "' " + std::string(why),
               Map{}}
      .with("given", std::string(to_utf8(id)));
}

// Calls `visit` with each name of a path until it comes back false.
template <typename Visit>
bool every_name(std::string_view path, Visit visit) {
  for (std::size_t start = 0;;) {
    const std::size_t slash = path.find('/', start);
    if (!visit(path.substr(start, slash - start))) return false;
    if (slash == std::string_view::npos) return true;
    start = slash + 1;
  }
}

Result<void> check_names(std::string_view what, std::string_view id) {
  if (id.size() > longest_id) {
    return not_allowed(what,
                       std::string(id.substr(0, longest_shown)) + "...",
                       "is longer than " + std::to_string(longest_id) + " bytes");
  }
  if (id.empty()) return not_allowed(what, id, "is empty; it must name one");
  if (id.front() == '/') return not_allowed(what, id, "is an absolute path; ids are names");
  if (id.find('\0') != std::string_view::npos) {
    return not_allowed(what, id, "holds a NUL byte; ids are names");
  }
  if (id.find('\\') != std::string_view::npos) {
    return not_allowed(what, id, "holds a backslash; names are joined by '/'");
  }
  if (!is_utf8(id)) return not_allowed(what, id, "is not valid UTF-8");
  const bool plain =
      every_name(id, [](std::string_view name) { return !name.empty() && name.front() != '.'; });
  if (!plain) {
    return not_allowed(what, id, "has an empty name or one that begins with a dot; ids are names");
  }
  return {};
}

bool is_page_of_folder(std::string_view name) {
  const std::string_view stem = name.substr(0, name.size() - row_file_ending(name).size());
  return stem == "README" || stem == "index";
}

bool is_special(std::string_view name) {
  return is_page_of_folder(name) || name.front() == '_' || name.front() == '.';
}

}  // namespace

bool is_schema_name(std::string_view name) {
  return name == "_schema.md" || name == "_schema.yaml";
}

Result<void> check_database_id(std::string_view id) {
  if (id == ".") return {};
  return check_names("database", id);
}

Result<void> check_row_id(std::string_view id) {
  if (id == "_schema") return not_allowed("row", id, "is the schema, not a row");
  return check_names("row", id);
}

Result<void> check_new_row_id(std::string_view id) {
  if (auto allowed = check_row_id(id); !allowed) return allowed;
  Result<void> checked;
  every_name(id, [&](std::string_view name) {
    checked = check_new_name(name);
    if (checked) checked = check_new_name(std::string(name) + ".md");
    const bool is_file = name.data() + name.size() == id.data() + id.size();
    if (checked && is_file && name.front() == '_') {
      checked = not_allowed("row", id, "begins with '_', which says that a file is not a row");
    }
    return checked.ok();
  });
  return checked;
}

Result<RowNames> RowNames::of(const RowFiles& files) {
  RowNames names;
  names.layout_ = files.layout;
  names.folder_note_ = files.folder_note;
  names.include_patterns_ = files.include;
  for (const std::string& pattern : files.include) {
    auto glob = Glob::parse(pattern);
    if (!glob) return glob.error();
    names.include_.push_back(std::move(*glob));
    if (pattern.find('/') != std::string::npos) names.recursive_ = true;
  }
  for (const std::string& pattern : files.exclude) {
    auto glob = Glob::parse(pattern);
    if (!glob) return glob.error();
    names.exclude_.push_back(std::move(*glob));
  }
  if (files.layout != RowLayout::file) names.recursive_ = true;
  names.take_endings();
  return names;
}

// Only endings that an include can match need be looked for.
void RowNames::take_endings() {
  if (include_.empty()) {
    endings_.assign(usual_endings.begin(), usual_endings.end());
    return;
  }
  for (const std::string_view ending : row_file_endings()) {
    const bool may_match = std::ranges::any_of(include_patterns_, [&](const std::string& pattern) {
      return pattern.ends_with(ending) || row_file_ending(pattern).empty();
    });
    if (may_match) endings_.push_back(ending);
  }
}

std::optional<RowNames::Bundle> RowNames::bundle_of(std::string_view path) const {
  if (layout_ == RowLayout::file || !is_markdown_file(path)) return std::nullopt;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  Bundle bundle{path.substr(0, slash), path.substr(slash + 1), {}};
  bundle.name.remove_suffix(row_file_ending(bundle.name).size());
  const auto is_index = [&](std::string_view stem) {
    return folder_note_ == FolderNote::name
               ? stem == name_in(bundle.folder)
               : std::ranges::find(index_names, stem) != index_names.end();
  };
  if (is_index(bundle.name)) return bundle;
  bundle.language = language_in(bundle.name);
  if (bundle.language.empty()) return std::nullopt;
  bundle.name.remove_suffix(bundle.language.size() + 1);
  return is_index(bundle.name) ? std::optional(bundle) : std::nullopt;
}

bool RowNames::is_included(std::string_view path) const {
  const auto hits = [&](const Glob& glob) { return glob.matches(path); };
  if (std::any_of(exclude_.begin(), exclude_.end(), hits)) return false;
  if (!include_.empty()) return std::any_of(include_.begin(), include_.end(), hits);
  if (std::ranges::find(endings_, row_file_ending(path)) == endings_.end()) return false;
  const auto slashes = std::ranges::count(path, '/');
  if (layout_ == RowLayout::file) return slashes == 0;
  return slashes == 0 ? layout_ == RowLayout::mixed : slashes == 1 && is_bundle(path);
}

// "**/*.md" lets README.md in by accident; "docs/README.md" and "_*.md" mean what they name.
bool RowNames::is_named_by_include(std::string_view path) const {
  const std::string_view name = name_in(path);
  for (std::size_t i = 0; i < include_.size(); ++i) {
    const std::string_view wanted = name_in(include_patterns_[i]);
    const bool named = is_page_of_folder(name) ? wanted == name : wanted.front() == name.front();
    if (named && include_[i].matches(path)) return true;
  }
  return false;
}

FileRole RowNames::role_of(std::string_view path) const {
  const std::string_view name = name_in(path);
  if (name.empty() || is_dropping(name) || row_file_ending(name).empty()) return FileRole::other;
  if (name.starts_with("_schema.")) return FileRole::other;
  if (!is_utf8(path) || !is_included(path)) return FileRole::other;
  const auto bundle = bundle_of(path);
  if (layout_ == RowLayout::folder) return bundle ? FileRole::row : FileRole::other;
  // Of a section, which is no row by itself.
  const bool is_section = bundle && bundle->name.starts_with('_');
  if (bundle && !is_section) return FileRole::row;
  if (is_special(name) && !is_named_by_include(path)) return FileRole::other;
  return is_conflict_copy(name) ? FileRole::conflict_copy : FileRole::row;
}

RowIdText RowNames::id_of(std::string_view path) const {
  const auto bundle = bundle_of(path);
  if (!bundle) return RowIdText(path.substr(0, path.size() - row_file_ending(path).size()));
  if (bundle->language.empty()) return RowIdText(bundle->folder);
  return RowIdText(std::string(bundle->folder) + "." + std::string(bundle->language));
}

std::string RowNames::path_under(std::string_view path, std::string_view new_id) const {
  std::string made(new_id);
  if (const auto bundle = bundle_of(path)) {
    const std::string_view language = bundle->language;
    // A row in another language is renamed within it.
    const bool keeps = !language.empty() && language_in(name_in(new_id)) == language;
    if (keeps) made.resize(made.size() - language.size() - 1);
    const std::string name(folder_note_ == FolderNote::name ? name_in(made) : bundle->name);
    made += "/" + name + (keeps ? "." + std::string(language) : "");
  }
  made += row_file_ending(path);
  const bool is_listed = role_of(made) == FileRole::row && enters_folders_of(made);
  return is_listed && std::string_view(id_of(made)) == new_id ? made : "";
}

bool RowNames::enters(std::string_view folder) const {
  if (!recursive_) return false;
  const auto named = [&](const std::string& pattern) {
    return std::string_view(pattern).starts_with(std::string(folder) + "/");
  };
  const bool walked = !is_skipped_folder(name_in(folder)) ||
                      std::any_of(include_patterns_.begin(), include_patterns_.end(), named);
  if (!walked || folder == ".notesdb" || folder == ".git") return false;
  if (include_.empty()) return folder.find('/') == std::string_view::npos;
  return std::any_of(include_.begin(), include_.end(), [&](const Glob& glob) {
    return glob.may_match_below(folder);
  });
}

std::vector<std::string> RowNames::candidates(std::string_view id) const {
  std::vector<std::string> paths;
  const auto add = [&](std::string path) {
    if (role_of(path) == FileRole::row && enters_folders_of(path)) paths.push_back(std::move(path));
  };
  if (layout_ != RowLayout::folder)
    for (const std::string_view ending : endings_)
      add(std::string(id) + std::string(ending));
  if (layout_ == RowLayout::file) return paths;
  std::vector<std::string> bundles;
  add_bundles(id, "", bundles);
  if (const std::string_view language = language_in(name_in(id)); !language.empty())
    add_bundles(id.substr(0, id.size() - language.size() - 1), language, bundles);
  for (std::string& path : bundles)
    add(std::move(path));
  return paths;
}

void RowNames::add_bundles(std::string_view folder,
                           std::string_view language,
                           std::vector<std::string>& paths) const {
  const std::string suffix = language.empty() ? "" : "." + std::string(language);
  const auto add = [&](std::string_view name) {
    for (const std::string_view ending : endings_)
      paths.push_back(std::string(folder) + "/" + std::string(name) + suffix + std::string(ending));
  };
  if (folder_note_ == FolderNote::name) return add(name_in(folder));
  for (const std::string_view name : index_names)
    add(name);
}

std::string RowNames::folder_of_new() const {
  if (include_patterns_.empty() || !candidates("new").empty()) return "";
  for (const std::string& pattern : include_patterns_) {
    const std::string_view fixed =
        std::string_view(pattern).substr(0, pattern.find_first_of("*?["));
    const std::size_t slash = fixed.rfind('/');
    if (slash == std::string_view::npos) continue;
    std::string folder(fixed.substr(0, slash + 1));
    if (!candidates(folder + "new").empty()) return folder;
  }
  return "";
}

// Whether a walk from the database would reach the folder of this path.
bool RowNames::enters_folders_of(std::string_view path) const {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (!enters(path.substr(0, slash))) return false;
  }
  return true;
}

}  // namespace notesdb
