#include "infer/infer.h"

#include <algorithm>
#include <array>

#include "core/link.h"
#include "core/text.h"
#include "database/relation_targets.h"
#include "files/names.h"
#include "index/database_folder.h"
#include "index/paths.h"
#include "index/row_files.h"
#include "infer/infer_column.h"

namespace notesdb {

namespace {

// The notes of a folder that is not a database yet: which files are rows, and in what layout.
struct FoundNotes {
  std::vector<std::string> paths;  // relative to the folder, that are rows under `rows`
  RowFiles rows;                   // how a schema says so
};

// What lies in a folder and below, by the way it could be a row.
struct Counts {
  std::size_t here_md = 0;
  std::size_t here_yaml = 0;
  std::size_t below_md = 0;
  std::size_t below_yaml = 0;
  std::size_t folders = 0;  // with an index.md or _index.md
};

bool is_index(std::string_view name) {
  return name == "index.md" || name == "_index.md";
}

bool is_yaml(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_note_name(std::string_view name) {
  return !name.starts_with('_') && !name.starts_with('.') && name != "README.md" &&
         !is_index(name) && (name.ends_with(".md") || is_yaml(name));
}

Result<void> count_below(const FileSystem& files,
                         const std::string& folder,
                         int depth,
                         Counts& counts) {
  const auto entries = files.list(folder);
  if (!entries) return entries.error();
  if (depth > 0 && DatabaseFolder::find_schema_file(files, folder)) return {};
  for (const Entry& entry : *entries) {
    if (entry.kind == FileKind::folder) {
      const std::string inner = join_path(folder, entry.name);
      if (is_skipped_folder(entry.name) || entry.name.starts_with('_') || is_too_deep(inner))
        continue;
      if (auto done = count_below(files, inner, depth + 1, counts); !done) return done;
    } else if (entry.kind == FileKind::regular) {
      if (depth > 0 && is_index(entry.name)) ++counts.folders;
      if (!is_note_name(entry.name)) continue;
      if (is_yaml(entry.name))
        ++(depth == 0 ? counts.here_yaml : counts.below_yaml);
      else
        ++(depth == 0 ? counts.here_md : counts.below_md);
    }
  }
  return {};
}

// One ending where nine of ten files have it: a lone settings.yaml is not a row.
RowFiles rows_for(const Counts& counts) {
  RowFiles rows;
  const std::size_t md = counts.here_md + counts.below_md;
  const std::size_t yaml = counts.here_yaml + counts.below_yaml;
  if (counts.folders > 2 && counts.folders > md + yaml) {
    rows.layout = RowLayout::folder;
    return rows;
  }
  const bool is_deep = counts.below_md + counts.below_yaml > 0;
  const bool wants_md = md > 0 && md * 9 > yaml;
  const bool wants_yaml = yaml > 0 && (!wants_md || yaml * 9 > md);
  const std::string prefix = is_deep ? "**/" : "";
  if (!is_deep && (md == 0 || wants_yaml || yaml == 0)) return rows;
  if (wants_md) rows.include.push_back(prefix + "*.md");
  if (wants_yaml) {
    rows.include.push_back(prefix + "*.yaml");
    rows.include.push_back(prefix + "*.yml");
  }
  return rows;
}

Result<void> take_rows(const FileSystem& files,
                       const std::string& folder,
                       const std::string& below,
                       const RowNames& names,
                       std::vector<std::string>& paths) {
  const std::string full = below.empty() ? folder : join_path(folder, below);
  const auto entries = files.list(full);
  if (!entries) return entries.error();
  if (!below.empty() && DatabaseFolder::find_schema_file(files, full)) return {};
  for (const Entry& entry : *entries) {
    const std::string path = below.empty() ? entry.name : below + "/" + entry.name;
    if (entry.kind == FileKind::folder && names.enters(path) &&
        !is_too_deep(join_path(folder, path))) {
      if (auto done = take_rows(files, folder, path, names, paths); !done) return done;
    } else if (entry.kind == FileKind::regular && names.role_of(path) == FileRole::row) {
      paths.push_back(path);
    }
  }
  return {};
}

// Whether a note begins with front matter; a file that cannot be read has none.
bool has_fields(const FileSystem& files, const std::string& path) {
  const auto bytes = files.read(path);
  return bytes && (bytes->bytes.starts_with("---") || bytes->bytes.starts_with("\xEF\xBB\xBF---"));
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
    if (entry.kind == FileKind::regular && is_note_name(entry.name) && !is_yaml(entry.name))
      notes += has_fields(files, path) ? 1 : 0;
    else if (entry.kind == FileKind::folder && !is_skipped_folder(entry.name))
      notes += has_fields(files, join_path(path, "index.md")) ||
                       has_fields(files, join_path(path, "_index.md"))
                   ? 1
                   : 0;
  }
  return notes >= enough;
}

bool is_all_yaml(const std::vector<Entry>& entries) {
  const auto count = std::ranges::count_if(entries, [](const Entry& entry) {
    return entry.kind == FileKind::regular && is_note_name(entry.name) && is_yaml(entry.name);
  });
  return count >= 3 && static_cast<std::size_t>(count) * 10 >= entries.size() * 9;
}

Result<void> search(const FileSystem& files,
                    const std::string& folder,
                    std::vector<std::string>& found) {
  const auto entries = files.list(folder);
  if (!entries) return entries.error();
  if (DatabaseFolder::find_schema_file(files, folder)) return {};
  if (is_natural(files, folder, *entries) || is_all_yaml(*entries)) {
    found.push_back(folder);
    return {};
  }
  for (const Entry& entry : *entries) {
    const std::string inner = join_path(folder, entry.name);
    if (entry.kind != FileKind::folder || is_skipped_folder(entry.name) || is_too_deep(inner))
      continue;
    if (auto done = search(files, inner, found); !done) return done;
  }
  return {};
}

// Fails as FileSystem::list does.
Result<FoundNotes> find_notes(const FileSystem& files, const std::string& folder) {
  Counts counts;
  if (auto done = count_below(files, folder, 0, counts); !done) return done.error();
  FoundNotes found{{}, rows_for(counts)};
  const auto names = RowNames::of(found.rows);
  if (!names) return names.error();
  if (auto done = take_rows(files, folder, "", *names, found.paths); !done) return done.error();
  std::ranges::sort(found.paths);
  return found;
}

// A value that is not as the others are, or a file or field that cannot be read.
struct Oddity {
  std::size_t file = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::string message;
  std::string field;
};

struct Reading {
  Observed observed;
  std::size_t notes = 0;  // that could be read
  std::vector<Oddity> odd;
};

Oddity unreadable(std::size_t file, const Error& error) {
  const Value* line = find_member(error.data.map(), "line");
  const std::uint32_t number =
      line != nullptr && line->is_integer() ? static_cast<std::uint32_t>(line->integer()) : 1;
  const std::string prefix = "line " + std::to_string(number) + ": ";
  const bool is_named = error.message.starts_with(prefix);
  return {file, number, 1, is_named ? error.message.substr(prefix.size()) : error.message, ""};
}

Result<Reading> read_notes(const FileSystem& files,
                           const std::string& folder,
                           const std::vector<std::string>& paths) {
  std::array<Reading, reading_threads> parts;
  std::vector<const char*> names;
  names.reserve(paths.size());
  for (const std::string& path : paths)
    names.push_back(path.c_str());
  const auto done = read_row_files(files, folder, names, [&](const FileView& file) {
    if (file.state != ReadState::whole) return;
    const auto note = Note::parse(std::string(file.bytes), note_format_of(paths[file.index]));
    Reading& part = parts[file.worker];
    if (!note) {
      part.odd.push_back(unreadable(file.index, note.error()));
      return;
    }
    ++part.notes;
    for (const Issue& issue : note->issues())
      part.odd.push_back({file.index, issue.line, issue.column, issue.message, issue.field});
    observe(*note, static_cast<std::uint32_t>(file.index), part.observed);
  });
  if (!done) return done.error();
  Reading all;
  for (Reading& part : parts) {
    all.notes += part.notes;
    std::ranges::move(part.odd, std::back_inserter(all.odd));
    absorb(std::move(part.observed), all.observed);
  }
  return all;
}

// The keys that become columns. A key that one note of many has is left undeclared, for it says
// nothing of the others.
std::vector<std::string> columns_of(const Observed& observed, std::size_t notes) {
  constexpr std::size_t many = 50;
  std::vector<std::string> keys = keys_in_order(observed);
  std::erase_if(keys, [&](const std::string& key) {
    const bool is_rare = notes >= many && observed.keys.find(key)->second.notes() == 1;
    return key.empty() || key.starts_with('_') || is_rare;
  });
  return keys;
}

// Which database most of the texts name rows of: the folder itself, one that is there already, or
// one that must be.
class Targets {
 public:
  Targets(Workspace& workspace,
          std::string folder,
          const std::vector<std::string>& own_ids,
          const PlannedRows& planned)
      : rows_(workspace.files()),
        folder_(std::move(folder)),
        own_(own_ids.begin(), own_ids.end()),
        planned_(planned) {
    if (auto found = workspace.database_ids()) ids_ = std::move(found->ids);
  }

  std::optional<std::string> find(const std::vector<std::string>& texts) {
    const auto is_own = [&](const std::string& text) {
      return own_.contains(row_named_by(text, folder_));
    };
    if (are_most(texts, is_own)) return folder_;
    for (const std::string& id : ids_) {
      const auto is_there = [&](const std::string& text) {
        return rows_.has(id, row_named_by(text, id));
      };
      if (are_most(texts, is_there)) return id;
    }
    for (const auto& [id, rows] : planned_) {
      const auto is_there = [&](const std::string& text) {
        return rows.contains(row_named_by(text, id));
      };
      if (id != folder_ && are_most(texts, is_there)) return id;
    }
    return std::nullopt;
  }

  // Whether most of the texts begin the names of own rows: "beans-5txp" of "beans-5txp--a-title".
  bool are_beginnings(const std::vector<std::string>& texts) const {
    return are_most(texts, [&](const std::string& text) {
      return std::ranges::any_of(own_, [&](const std::string& id) {
        const std::string_view name = std::string_view(id).substr(id.rfind('/') + 1);
        return name.size() > text.size() && name.starts_with(text) && name[text.size()] == '-';
      });
    });
  }

 private:
  template <typename Claim>
  static bool are_most(const std::vector<std::string>& texts, Claim claim) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(texts, claim));
    return count > 0 && count * 5 >= texts.size() * 4;
  }

  RelationTargets rows_;
  std::string folder_;
  std::set<std::string, std::less<>> own_;
  const PlannedRows& planned_;
  std::vector<std::string> ids_;
};

std::size_t digits_at_end(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && text[text.size() - 1 - count] >= '0' &&
         text[text.size() - 1 - count] <= '9')
    ++count;
  return count;
}

// Ids that are one prefix and a number are counted; all others are made of the title.
RowIdRule id_rule_of(const std::vector<std::string>& ids, const std::vector<Column>& columns) {
  std::map<std::string, std::size_t> prefixes;
  std::size_t digits = 18;
  for (const std::string& id : ids) {
    const std::size_t count = digits_at_end(id);
    if (count == 0 || count > 6) continue;
    ++prefixes[id.substr(0, id.size() - count)];
    digits = std::min(digits, count);
  }
  RowIdRule rule;
  for (const auto& [prefix, count] : prefixes) {
    const bool is_plain = prefix.find('/') == std::string::npos;
    if (!is_plain || count * 10 < ids.size() * 9) continue;
    rule.prefix = prefix;
    rule.digits = static_cast<int>(digits);
    return rule;
  }
  rule.style = RowIdStyle::slug;
  for (const char* key : {"title", "name", "display_name"})
    for (const Column& column : columns)
      if (rule.from.empty() && column.id == key && column.type == ColumnType::text) rule.from = key;
  return rule;
}

void sort_exceptions(std::vector<Issue>& issues) {
  std::ranges::stable_sort(issues, [](const Issue& a, const Issue& b) {
    if (const int order = compare_natural(a.path, b.path); order != 0) return order < 0;
    return a.line < b.line;
  });
}

std::vector<std::string> ids_of(const FoundNotes& found) {
  std::vector<std::string> ids;
  const auto names = RowNames::of(found.rows);
  for (const std::string& path : found.paths)
    ids.emplace_back(names->id_of(path));
  return ids;
}

class Inference {
 public:
  Inference(Workspace& workspace,
            const std::string& folder,
            const FoundNotes& found,
            const PlannedRows& planned)
      : workspace_(workspace),
        folder_(folder),
        found_(found),
        ids_(ids_of(found)),
        targets_(workspace, folder, ids_, planned) {}

  Result<Inferred> run() {
    const auto reading = read_notes(workspace_.files(), folder_, found_.paths);
    if (!reading) return reading.error();
    Inferred inferred;
    inferred.database_id = folder_;
    inferred.rows = static_cast<std::int64_t>(reading->notes);
    Schema& schema = inferred.schema;
    schema.name = folder_ == "." ? workspace_.root_name() : std::string(name_in(folder_));
    schema.rows = found_.rows;
    const Observed& observed = reading->observed;
    for (const std::string& key : columns_of(observed, reading->notes))
      add_column(key, observed.keys.find(key)->second, reading->notes, inferred);
    schema.row_id = id_rule_of(ids_, schema.columns);
    for (const Oddity& odd : reading->odd)
      add_exception(odd, inferred);
    sort_exceptions(inferred.exceptions);
    auto document = write_schema(schema, "", NoteFormat::markdown);
    if (!document) return document.error();
    inferred.document = std::move(*document);
    return inferred;
  }

 private:
  void add_exception(const Oddity& odd, Inferred& inferred) const {
    Issue issue;
    issue.path = join_path(folder_, found_.paths[odd.file]);
    issue.line = odd.line;
    issue.column = odd.column;
    issue.severity = Severity::warning;
    issue.rule = "infer";
    issue.message = odd.message;
    issue.field = odd.field;
    inferred.exceptions.push_back(std::move(issue));
  }

  // A field that repeats the name of its own file points nowhere.
  bool names_itself(const ObservedKey& seen) const {
    const auto count = std::ranges::count_if(
        seen.values, [&](const Observation& value) { return value.text == ids_[value.file]; });
    return static_cast<std::size_t>(count) * 2 > seen.values.size();
  }

  void add_column(const std::string& key,
                  const ObservedKey& seen,
                  std::size_t notes,
                  Inferred& inferred) {
    const FindTarget find = [&](const std::vector<std::string>& texts) {
      return names_itself(seen) ? std::nullopt : targets_.find(texts);
    };
    InferredColumn column = infer_column(key, seen, notes, find);
    if (column.column.type == ColumnType::select &&
        targets_.are_beginnings(column.column.options)) {
      column.column.type = ColumnType::text;  // names of rows, of which there will be more
      column.column.type_name = name_of(ColumnType::text);
      column.column.options.clear();
    }
    for (const auto& [value, message] : column.invalid_values)
      add_exception({value->file, value->line, value->column, message, key}, inferred);
    inferred.schema.columns.push_back(std::move(column.column));
  }

  Workspace& workspace_;
  std::string folder_;
  const FoundNotes& found_;
  std::vector<std::string> ids_;
  Targets targets_;
};

}  // namespace

Result<std::vector<std::string>> natural_databases(const FileSystem& files,
                                                   const std::string& root) {
  std::vector<std::string> found;
  if (auto done = search(files, root, found); !done) return done.error();
  std::ranges::sort(found);
  return found;
}

Result<PlannedRows> plan_rows(const FileSystem& files, const std::vector<std::string>& folders) {
  PlannedRows planned;
  for (const std::string& folder : folders) {
    const auto found = find_notes(files, folder);
    if (!found) return found.error();
    const auto ids = ids_of(*found);
    planned[folder].insert(ids.begin(), ids.end());
  }
  return planned;
}

Result<Inferred> infer(Workspace& workspace,
                       const std::string& folder,
                       const PlannedRows& planned) {
  if (auto allowed = check_database_id(folder); !allowed) return allowed.error();
  const FileSystem& files = workspace.files();
  if (const auto schema = DatabaseFolder::find_schema_file(files, folder)) {
    return Error{ErrorCode::already_exists,
                 "'" + folder + "' is a database already: it has " + *schema,
                 Map{}};
  }
  const auto found = find_notes(files, folder);
  if (!found) return found.error();
  if (found->paths.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "'" + escape_controls(folder) + "' holds no .md or .yaml files to read",
                 Map{}};
  }
  return Inference(workspace, folder, *found, planned).run();
}

Result<Receipt> write_inferred(Workspace& workspace, const Inferred& inferred) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  Receipt receipt;
  const auto make = [&](Stage stage) -> Result<Plan> {
    Plan plan(stage);
    plan.create(join_path(inferred.database_id, "_schema.md"), inferred.document);
    plan.what = "schema inferred for " + inferred.database_id;
    plan.is_fixed = true;
    return plan;
  };
  const auto written = commit(workspace.files(), WriteMode::write, make, receipt);
  if (!written) return written.error();
  return receipt;
}

}  // namespace notesdb
