#include "infer/layout.h"

#include <algorithm>
#include <array>

#include "core/count.h"
#include "core/date.h"
#include "core/date_format.h"
#include "core/file_name.h"
#include "core/text.h"
#include "database/link_rules.h"
#include "files/names.h"
#include "index/database_folder.h"
#include "index/paths.h"
#include "note/front_matter.h"

namespace notesdb {

namespace {

bool is_data(std::string_view path) {
  return !row_file_ending(path).empty() && !is_markdown_file(path);
}

// The name without its ending and its language: "index" of "index.fr.md".
std::string_view plain_stem(std::string_view name) {
  std::string_view stem = name.substr(0, name.size() - row_file_ending(name).size());
  const std::string_view language = language_in(stem);
  if (!language.empty()) stem.remove_suffix(language.size() + 1);
  return stem;
}

bool is_template_folder(std::string_view name) {
  const std::string folded = fold_case(name);
  return folded == "templates" || folded == "template" || folded == "archetypes";
}

bool is_page_of_folder(std::string_view stem) {
  return stem == "index" || stem == "README";
}

std::string_view folder_in(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::size_t depth_of(std::string_view path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/'));
}

// A name as the part of a glob that matches nothing else.
std::string as_glob(std::string_view name) {
  std::string glob;
  for (const char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) glob += '\\';
    glob += c;
  }
  return glob;
}

// "????/??/????-??-??" for YYYY/MM/YYYY-MM-DD; a star for parts of no fixed length.
std::string glob_of_format(const std::string& format) {
  constexpr Timestamp some_day{};  // 1970-01-01
  constexpr std::array<std::string_view, 5> fixed{"YYYY", "GGGG", "gggg", "MM", "DD"};
  std::string glob;
  for (std::size_t at = 0; at < format.size();) {
    const auto rest = std::string_view(format).substr(at);
    const auto* token =
        std::ranges::find_if(fixed, [&](std::string_view one) { return rest.starts_with(one); });
    const bool is_whole = token != fixed.end() &&
                          (rest.size() == token->size() || rest[token->size()] != token->back());
    if (is_whole) {
      glob.append(token->size(), '?');
      at += token->size();
    } else if (is_letter(rest.front()) || rest.front() == '[' || rest.front() == '%') {
      if (!glob.ends_with('*')) glob += '*';
      const std::size_t end = rest.front() == '[' ? rest.find(']') : 0;
      at += (end == std::string_view::npos ? rest.size() : end + 1);
    } else {
      glob += as_glob(rest.substr(0, 1));
      ++at;
    }
  }
  return write_date(some_day, format) ? glob : "*";
}

// What lies in a folder and below, by the way it could be a row; paths relative to the folder.
struct Survey {
  std::vector<std::string> notes;
  std::vector<std::string> data;      // .yaml
  std::vector<std::string> indexes;   // index.md of a folder
  std::vector<std::string> sections;  // _index.md
  std::size_t readmes = 0;
  std::size_t set_aside = 0;  // names that begin with _
  std::vector<std::string> exclude;
};

class NoteFinder {
 public:
  NoteFinder(const FileSystem& files,
             const std::string& folder,
             const FolderContext& context,
             const ChoiceAnswers& answers)
      : files_(files), folder_(folder), context_(context), answers_(answers) {}

  Result<FoundNotes> run() {
    if (auto done = look("", true); !done) return done.error();
    tell_tool();
    if (!take_daily_notes()) take_layout();
    std::ranges::move(survey_.exclude, std::back_inserter(found_.rows.exclude));
    const auto names = RowNames::of(found_.rows);
    if (!names) return names.error();
    if (auto done = take_rows("", *names); !done) return done.error();
    std::ranges::sort(found_.paths);
    tell_what_is_left_out(*names);
    return std::move(found_);
  }

 private:
  std::string full(const std::string& path) const {
    return path.empty() ? folder_ : join_path(folder_, path);
  }

  // Whether the option that is not the first holds. Options are in the order of preference.
  bool is_second(std::string key, std::string question, std::vector<std::string> options) {
    Choice choice{std::move(key), std::move(question), std::move(options), 0};
    const auto answer = answers_.find(choice.key);
    if (answer != answers_.end() && answer->second < choice.options.size())
      choice.chosen = answer->second;
    found_.choices.push_back(choice);
    return choice.chosen == 1;
  }

  void leave_out(const std::string& path, std::size_t count, std::string why) {
    if (count > 0) found_.left_out.push_back({full(path), count, std::move(why)});
  }

  std::size_t count_below(const std::string& path) const {
    const auto entries = files_.list(full(path));
    if (!entries || is_too_deep(full(path))) return 0;
    std::size_t count = 0;
    for (const Entry& entry : *entries) {
      if (entry.kind == FileKind::folder && !entry.name.starts_with('.'))
        count += count_below(path + "/" + entry.name);
      else if (entry.kind == FileKind::regular && is_markdown_file(entry.name))
        ++count;
    }
    return count;
  }

  const VaultSettings::Apart* apart_at(const std::string& path) const {
    if (!context_.vault) return nullptr;
    const auto& apart = context_.vault->apart;
    const auto found = std::ranges::find(apart, full(path), &VaultSettings::Apart::path);
    return found == apart.end() ? nullptr : &*found;
  }

  Result<void> look(const std::string& below, bool is_top) {
    const auto entries = files_.list(full(below));
    if (!entries) return entries.error();
    const bool is_own = DatabaseFolder::find_schema_file(files_, full(below)).has_value() ||
                        context_.databases.contains(full(below));
    if (!is_top && is_own) return {};
    for (const Entry& entry : *entries) {
      const std::string path = below.empty() ? entry.name : below + "/" + entry.name;
      if (entry.kind == FileKind::regular) {
        look_at_file(entry.name, path);
      } else if (entry.kind == FileKind::folder && enters(entry.name, path)) {
        if (auto done = look(path, false); !done) return done;
      }
    }
    return {};
  }

  // A folder for one row: template/index.md beside lua/index.md is about templates.
  bool has_own_page(const std::string& path) const {
    const auto entries = files_.list(full(path));
    return entries && std::ranges::any_of(*entries, [](const Entry& entry) {
             return is_markdown_file(entry.name) && plain_stem(entry.name) == "index";
           });
  }

  bool enters(const std::string& name, const std::string& path) {
    if (is_skipped_folder(name) || is_too_deep(full(path))) return false;
    if (const auto* apart = apart_at(path)) {
      set_aside(path, apart->why);
      return false;
    }
    if (name.starts_with('_')) {
      leave_out(path, count_below(path), "its name begins with _");
      return false;
    }
    // A site's templates do not lie among its pages.
    if (is_site(context_.rules.flavour) || !is_template_folder(name)) return true;
    const std::size_t count = count_below(path);
    const bool is_kept = count == 0 || (count == 1 && has_own_page(path)) ||
                         is_second("templates in " + path,
                                   full(path) + " holds " + count_of(count, "note"),
                                   {"leave them out: templates", "rows"});
    if (!is_kept) set_aside(path, "templates, by its name");
    return is_kept;
  }

  void set_aside(const std::string& path, std::string why) {
    const std::size_t count = count_below(path);
    if (count == 0) return;
    leave_out(path, count, std::move(why));
    survey_.exclude.push_back(as_glob(path) + "/**");
  }

  void look_at_file(const std::string& name, const std::string& path) {
    const std::string_view stem = plain_stem(name);
    if (row_file_ending(name).empty() || name.starts_with('.') || name.starts_with("_schema."))
      return;
    if (is_dropping(name) || is_conflict_copy(name)) return;
    if (const auto* apart = apart_at(path)) {
      leave_out(path, 1, apart->why);
      survey_.exclude.push_back(as_glob(path));
    } else if (is_data(name)) {
      if (!name.starts_with('_')) survey_.data.push_back(path);
    } else if (stem == "_index") {
      survey_.sections.push_back(path);
    } else if (name.starts_with('_')) {
      ++survey_.set_aside;
    } else if (stem == "index" && depth_of(path) > 0) {
      survey_.indexes.push_back(path);
    } else if (is_page_of_folder(stem)) {
      ++survey_.readmes;
    } else {
      survey_.notes.push_back(path);
    }
  }

  void tell_tool() {
    const LinkRules& rules = context_.rules;
    if (rules.flavour == LinkFlavour::plain) return;
    std::string said =
        "written with " + std::string(name_of(rules.flavour)) + " (" + rules.why + ")";
    if (context_.vault && !context_.vault->types.empty())
      said += "; types.json has the types of " + count_of(context_.vault->types.size(), "key");
    found_.why.push_back(std::move(said));
  }

  // The folder of daily notes, where the owner has said how they are named.
  bool take_daily_notes() {
    if (!context_.vault || !context_.vault->daily) return false;
    const auto& daily = *context_.vault->daily;
    if (daily.folder != folder_ || folder_ == context_.vault->root) return false;
    found_.rows.include = {glob_of_format(daily.format) + ".md"};
    RowIdRule rule;
    rule.style = RowIdStyle::date;
    rule.format = daily.format;
    found_.row_id = std::move(rule);
    found_.why.push_back("daily notes, named by " + daily.format + " (daily-notes.json)");
    return true;
  }

  void take_layout() {
    const std::size_t plain = survey_.notes.size() + survey_.data.size();
    const std::size_t own = survey_.indexes.size() + survey_.sections.size();
    const bool has_sections =
        context_.rules.flavour == LinkFlavour::hugo || context_.rules.flavour == LinkFlavour::zola;
    const std::size_t bundles = has_sections ? survey_.indexes.size() : own;
    if (bundles > 2 && bundles > plain) return take_folder_layout(bundles, plain);
    if (!survey_.indexes.empty()) {
      found_.rows.layout = RowLayout::mixed;
      found_.why.push_back("layout mixed: of " + count_of(plain + survey_.indexes.size(), "note") +
                           " " + std::to_string(survey_.indexes.size()) +
                           " are the index of a folder");
    } else {
      take_folder_notes();
    }
    take_includes();
  }

  void take_folder_layout(std::size_t bundles, std::size_t plain) {
    found_.rows.layout = RowLayout::folder;
    std::string said = "layout folder: " + count_of(bundles, "folder") + " with an index each";
    if (plain > 0) said += ", " + count_of(plain, "other note");
    found_.why.push_back(std::move(said));
    const auto is_deep = [](const std::string& path) { return depth_of(path) > 1; };
    const bool deep_index = std::ranges::any_of(survey_.indexes, is_deep);
    const bool deep_section = std::ranges::any_of(survey_.sections, is_deep);
    if (!deep_index && !deep_section) return;
    for (const std::string_view name : {"**/index", "**/_index"})
      for (const std::string& ending : endings_in(survey_.indexes, survey_.sections))
        found_.rows.include.push_back(std::string(name) + ending);
  }

  // Where most folders have a note of their own name it stands for the folder.
  void take_folder_notes() {
    std::set<std::string_view> folders;
    std::size_t named = 0;
    for (const std::string& path : survey_.notes) {
      const std::string_view folder = folder_in(path);
      if (folder.empty()) continue;
      folders.insert(folder);
      if (plain_stem(name_in(path)) == name_in(folder)) ++named;
    }
    if (named < 2 || named * 2 < folders.size()) return;
    found_.rows.layout = RowLayout::mixed;
    found_.rows.folder_note = FolderNote::name;
    found_.why.push_back("layout mixed with folder_note name: " + std::to_string(named) + " of " +
                         count_of(folders.size(), "folder") + " have a note of the same name");
  }

  static std::vector<std::string> endings_in(const std::vector<std::string>& paths,
                                             const std::vector<std::string>& more) {
    std::vector<std::string> endings;
    for (const std::string_view ending : row_file_endings()) {
      const auto ends = [&](const std::string& path) { return row_file_ending(path) == ending; };
      if (std::ranges::any_of(paths, ends) || std::ranges::any_of(more, ends))
        endings.emplace_back(ending);
    }
    return endings;
  }

  // One kind of file where nine of ten are of it: a lone settings.yaml is not a row.
  void drop_rare_kind() {
    const std::size_t notes = survey_.notes.size() + survey_.indexes.size();
    const std::size_t data = survey_.data.size();
    if (notes == 0 || data == 0) return;
    if (notes * 9 > data && data * 9 > notes) return;
    const bool is_data_rare = data < notes;
    const std::size_t rare = is_data_rare ? data : notes;
    const std::string kind = is_data_rare ? "YAML file" : "markdown file";
    if (is_second(
            "rare files",
            full("") + " has " + count_of(rare, kind) + " among " + std::to_string(notes + data),
            {"leave them out", "rows"}))
      return;
    auto& left = is_data_rare ? survey_.data : survey_.notes;
    leave_out(left.empty() ? survey_.indexes.front() : left.front(),
              rare,
              "the others are " + std::string(is_data_rare ? "markdown" : "YAML"));
    left.clear();
    if (!is_data_rare) survey_.indexes.clear();
    has_one_kind_ = true;
  }

  void take_includes() {
    drop_rare_kind();
    std::set<std::string_view> bundles;
    for (const std::string& path : survey_.indexes)
      bundles.insert(folder_in(path));
    const auto is_resource = [&](const std::string& path) {
      return bundles.contains(folder_in(path));
    };
    const auto resources =
        static_cast<std::size_t>(std::ranges::count_if(survey_.notes, is_resource));
    if (resources > 0 && are_resources_left_out(resources)) {
      const auto first = std::ranges::find_if(survey_.notes, is_resource);
      leave_out(*first, resources, "beside the index of their folder");
      std::erase_if(survey_.notes, is_resource);
      return include_by_folder();
    }
    const auto is_below = [](const std::string& path) { return depth_of(path) > 0; };
    const auto is_deep = [](const std::string& path) { return depth_of(path) > 1; };
    const bool goes_deep = std::ranges::any_of(survey_.notes, is_below) ||
                           std::ranges::any_of(survey_.data, is_below) ||
                           std::ranges::any_of(survey_.indexes, is_deep);
    std::vector<std::string> endings = endings_in(survey_.notes, survey_.indexes);
    if (!survey_.data.empty()) endings.insert(endings.end(), {".yaml", ".yml"});
    const auto is_usual = [](const std::string& ending) {
      const auto usual = RowNames::of({});
      return usual->role_of("x" + ending) == FileRole::row;
    };
    if (!goes_deep && !has_one_kind_ && std::ranges::all_of(endings, is_usual)) return;
    for (const std::string& ending : endings)
      found_.rows.include.push_back((goes_deep ? "**/*" : "*") + ending);
  }

  // Hugo takes them for parts of the page, others for pages.
  bool are_resources_left_out(std::size_t count) {
    const bool is_hugo = context_.rules.flavour == LinkFlavour::hugo;
    const std::string out = "leave them out: parts of that page";
    std::vector<std::string> options{"rows", out};
    if (is_hugo) std::ranges::reverse(options);
    const bool second = is_second("pages of folders",
                                  count_of(count, "note") + " of " + full("") +
                                      (count == 1 ? " lies" : " lie") + " beside an index.md",
                                  options);
    return second != is_hugo;
  }

  void include_by_folder() {
    std::set<std::string> folders;
    for (const std::string& path : survey_.notes)
      folders.insert(std::string(folder_in(path)));
    auto& include = found_.rows.include;
    for (const std::string& ending : endings_in(survey_.notes, {}))
      for (const std::string& folder : folders)
        include.push_back((folder.empty() ? "" : as_glob(folder) + "/") + "*" + ending);
    for (const std::string& ending : endings_in(survey_.indexes, {})) {
      include.push_back("**/index" + ending);
      const auto has_language = [](const std::string& path) {
        return name_in(path).size() >
               std::string_view("index").size() + row_file_ending(path).size();
      };
      if (std::ranges::any_of(survey_.indexes, has_language))
        include.push_back("**/index.*" + ending);
    }
    if (!survey_.data.empty()) include.insert(include.end(), {"**/*.yaml", "**/*.yml"});
  }

  Result<void> take_rows(const std::string& below, const RowNames& names) {
    const auto entries = files_.list(full(below));
    if (!entries) return entries.error();
    const bool is_own = DatabaseFolder::find_schema_file(files_, full(below)).has_value() ||
                        context_.databases.contains(full(below));
    if (!below.empty() && is_own) return {};
    for (const Entry& entry : *entries) {
      const std::string path = below.empty() ? entry.name : below + "/" + entry.name;
      if (entry.kind == FileKind::folder && names.enters(path) && !is_too_deep(full(path))) {
        if (auto done = take_rows(path, names); !done) return done;
      } else if (entry.kind == FileKind::regular && names.role_of(path) == FileRole::row) {
        found_.paths.push_back(path);
      }
    }
    return {};
  }

  void tell_what_is_left_out(const RowNames& names) {
    const auto is_no_row = [&](const std::string& path) {
      return names.role_of(path) != FileRole::row;
    };
    const auto tell = [&](const std::vector<std::string>& paths, const std::string& why) {
      const auto count = static_cast<std::size_t>(std::ranges::count_if(paths, is_no_row));
      if (count > 0) leave_out(*std::ranges::find_if(paths, is_no_row), count, why);
    };
    tell(survey_.notes, found_.row_id ? "not named by the format" : "not of the layout");
    tell(survey_.sections, "pages of sections");
    leave_out("", survey_.readmes, "README.md and index.md");
    leave_out("", survey_.set_aside, "names that begin with _");
  }

  const FileSystem& files_;
  const std::string& folder_;
  const FolderContext& context_;
  const ChoiceAnswers& answers_;
  Survey survey_;
  FoundNotes found_;
  bool has_one_kind_ = false;
};

// Whether a note begins with front matter; a file that cannot be read has none.
bool has_fields(const FileSystem& files, const std::string& path) {
  const auto bytes = files.read(path);
  const auto front = bytes ? split_front_matter(bytes->bytes, NoteFormat::markdown) : bytes.error();
  return front && front->kind != FrontMatterKind::none && front->kind != FrontMatterKind::foreign;
}

bool is_page(std::string_view name) {
  return is_markdown_file(name) && !name.starts_with('_') && !name.starts_with('.') &&
         !is_page_of_folder(plain_stem(name));
}

// Three notes with fields are a kind; more need not be read.
bool is_natural(const FileSystem& files,
                const std::string& folder,
                const std::vector<Entry>& entries) {
  constexpr std::size_t enough = 3;
  std::size_t notes = 0;
  for (const Entry& entry : entries) {
    if (notes == enough) return true;
    const std::string path = join_path(folder, entry.name);
    if (entry.kind == FileKind::regular && is_page(entry.name))
      notes += has_fields(files, path) ? 1 : 0;
    else if (entry.kind == FileKind::folder && !is_skipped_folder(entry.name))
      notes += has_fields(files, join_path(path, "index.md")) ||
                       has_fields(files, join_path(path, "_index.md"))
                   ? 1
                   : 0;
  }
  return notes >= enough;
}

bool is_all_data(const std::vector<Entry>& entries) {
  const auto count = std::ranges::count_if(entries, [](const Entry& entry) {
    return entry.kind == FileKind::regular && is_data(entry.name) && !entry.name.starts_with('_') &&
           !entry.name.starts_with('.');
  });
  return count >= 3 && static_cast<std::size_t>(count) * 10 >= entries.size() * 9;
}

bool holds_notes_below(const FileSystem& files, const std::string& folder) {
  const auto entries = files.list(folder);
  if (!entries) return false;
  return std::ranges::any_of(*entries, [&](const Entry& entry) {
    const std::string path = join_path(folder, entry.name);
    if (entry.kind == FileKind::regular) return is_markdown_file(entry.name);
    return entry.kind == FileKind::folder && !is_skipped_folder(entry.name) && !is_too_deep(path) &&
           holds_notes_below(files, path);
  });
}

// Tools whose notes are one collection wherever they lie, whether they have fields or not.
bool is_vault(LinkFlavour flavour) {
  return flavour == LinkFlavour::obsidian || flavour == LinkFlavour::foam ||
         flavour == LinkFlavour::zk;
}

// The pages of a site that is made of one folder of them, by the name that its tool expects.
bool is_docs_of_site(const FileSystem& files, const std::string& folder) {
  if (name_in(folder) != "docs") return false;
  const LinkFlavour flavour = context_of(files, std::string(folder_of(folder)), {}).rules.flavour;
  return flavour == LinkFlavour::docusaurus || flavour == LinkFlavour::mkdocs;
}

void count_elsewhere(const FileSystem& files,
                     const std::string& folder,
                     const std::vector<Entry>& entries,
                     NaturalDatabases& found) {
  const auto notes = std::ranges::count_if(entries, [&](const Entry& entry) {
    return entry.kind == FileKind::regular && is_page(entry.name) &&
           has_fields(files, join_path(folder, entry.name));
  });
  if (notes > 0 && found.elsewhere == 0) found.example = folder;
  found.elsewhere += static_cast<std::size_t>(notes);
}

Result<void> search(const FileSystem& files, const std::string& folder, NaturalDatabases& found) {
  const auto entries = files.list(folder);
  if (!entries) return entries.error();
  if (DatabaseFolder::find_schema_file(files, folder)) return {};
  const auto rules = find_link_rules(files, folder, *entries, {});
  const LinkFlavour flavour = rules ? rules->flavour : LinkFlavour::plain;
  if (is_vault(flavour) && holds_notes_below(files, folder)) {
    found.folders.push_back(folder);
    const auto vault = find_vault_settings(files, folder);
    if (!vault || !vault->daily || vault->daily->folder == folder) return {};
    const std::string& daily = vault->daily->folder;
    if (!DatabaseFolder::find_schema_file(files, daily) && holds_notes_below(files, daily))
      found.folders.push_back(daily);
    return {};
  }
  const bool is_collection = std::ranges::any_of(*entries, [&](const Entry& entry) {
    return entry.name == "root.md" && std::ranges::any_of(*entries, [](const Entry& other) {
             return other.name == "root.schema.yml";
           });
  });
  const bool is_of_logseq = name_in(folder) == "pages" || name_in(folder) == "journals";
  const auto above = files.stat(join_path(folder_of(folder), "logseq/config.edn"));
  const bool is_logseq = is_of_logseq && above && above->kind == FileKind::regular;
  const bool is_docs = is_docs_of_site(files, folder) && holds_notes_below(files, folder);
  if (is_collection || is_logseq || is_docs || is_natural(files, folder, *entries) ||
      is_all_data(*entries)) {
    found.folders.push_back(folder);
    return {};
  }
  count_elsewhere(files, folder, *entries, found);
  for (const Entry& entry : *entries) {
    const std::string inner = join_path(folder, entry.name);
    if (entry.kind != FileKind::folder || is_skipped_folder(entry.name) || is_too_deep(inner))
      continue;
    if (auto done = search(files, inner, found); !done) return done;
  }
  return {};
}

}  // namespace

FolderContext context_of(const FileSystem& files,
                         const std::string& folder,
                         std::set<std::string, std::less<>> databases) {
  FolderContext context;
  context.databases = std::move(databases);
  context.vault = find_vault_settings(files, folder);
  for (std::string_view above = folder;; above = folder_of(above)) {
    const auto entries = files.list(above);
    auto rules = entries ? find_link_rules(files, std::string(above), *entries, {})
                         : std::optional<LinkRules>();
    if (rules) context.rules = *std::move(rules);
    if (rules || above == ".") return context;
  }
}

Result<FoundNotes> find_notes(const FileSystem& files,
                              const std::string& folder,
                              const FolderContext& context,
                              const ChoiceAnswers& answers) {
  return NoteFinder(files, folder, context, answers).run();
}

Result<NaturalDatabases> natural_databases(const FileSystem& files, const std::string& root) {
  NaturalDatabases found;
  if (auto done = search(files, root, found); !done) return done.error();
  std::ranges::sort(found.folders);
  return found;
}

}  // namespace notesdb
