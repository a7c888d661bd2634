#include "infer/infer.h"

#include <algorithm>
#include <array>

#include "core/budget.h"
#include "core/date_format.h"
#include "core/link.h"
#include "core/progress.h"
#include "core/text.h"
#include "database/relation_targets.h"
#include "files/names.h"
#include "index/database_folder.h"
#include "index/paths.h"
#include "index/row_files.h"
#include "infer/infer_column.h"

namespace notesdb {

namespace {

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

// The ids of most rows begin with a day, in one of these ways; a title may stand behind it.
std::optional<RowIdRule> dated_rule_of(const std::vector<std::string>& ids,
                                       const std::string& title) {
  for (const char* format : {"YYYY-MM-DD", "YYYY_MM_DD", "YYYY/MM/YYYY-MM-DD", "YYYY/MM/DD"}) {
    std::size_t whole = 0;
    std::size_t with_title = 0;
    const std::size_t length = std::string_view(format).size();
    for (const std::string& id : ids) {
      if (!parse_date(std::string_view(id).substr(0, length), format)) continue;
      if (id.size() == length) ++whole;
      if (id.size() > length + 1 && id[length] == '-') ++with_title;
    }
    const bool is_titled = with_title > whole;
    if ((whole + with_title) * 10 < ids.size() * 9 || (is_titled && title.empty())) continue;
    RowIdRule rule;
    rule.style = RowIdStyle::date;
    rule.format = format;
    if (is_titled) rule.from = title;
    return rule;
  }
  return std::nullopt;
}

// The column that names are made of: the first of these that is text.
std::string title_of(const std::vector<Column>& columns) {
  for (const char* key : {"title", "name", "display_name"})
    for (const Column& column : columns)
      if (column.id == key && column.type == ColumnType::text) return key;
  return "";
}

// Ids that begin with a day are dates, those that are one prefix and a number are counted; all others
// are made of the title.
RowIdRule id_rule_of(const std::vector<std::string>& ids, const std::vector<Column>& columns) {
  const std::string title = title_of(columns);
  if (auto dated = dated_rule_of(ids, title)) return *std::move(dated);
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
  rule.from = title;
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
    ids.emplace_back(std::string_view(names->id_of(path)));
  return ids;
}

class Inference {
 public:
  Inference(Workspace& workspace,
            const std::string& folder,
            const FoundNotes& found,
            const FolderContext& context,
            const PlannedRows& planned)
      : workspace_(workspace),
        folder_(folder),
        found_(found),
        context_(context),
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
    const std::vector<std::string> keys = columns_of(observed, reading->notes);
    Progress::begin(keys.size(), "judging columns");
    for (const std::string& key : keys) {
      Budget::look();
      add_column(key, observed.keys.find(key)->second, reading->notes, inferred);
      Progress::step();
    }
    schema.row_id = found_.row_id ? *found_.row_id : id_rule_of(ids_, schema.columns);
    inferred.why = found_.why;
    inferred.left_out = found_.left_out;
    inferred.choices = found_.choices;
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

  // What the owner of the vault says that a key holds.
  std::optional<ColumnType> type_chosen_for(const std::string& key) const {
    if (!context_.vault) return std::nullopt;
    const auto found = context_.vault->types.find(key);
    return found == context_.vault->types.end() ? std::nullopt : std::optional(found->second);
  }

  void add_column(const std::string& key,
                  const ObservedKey& seen,
                  std::size_t notes,
                  Inferred& inferred) {
    const FindTarget find = [&](const std::vector<std::string>& texts) {
      return names_itself(seen) ? std::nullopt : targets_.find(texts);
    };
    InferredColumn column = infer_column(key, seen, notes, find, type_chosen_for(key));
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
  const FolderContext& context_;
  std::vector<std::string> ids_;
  Targets targets_;
};

}  // namespace

Result<PlannedRows> plan_rows(const FileSystem& files,
                              const std::vector<std::string>& folders,
                              const FolderAnswers& answers) {
  PlannedRows planned;
  const std::set<std::string, std::less<>> all(folders.begin(), folders.end());
  for (const std::string& folder : folders) {
    const auto answered = answers.find(folder);
    const auto found = find_notes(files,
                                  folder,
                                  context_of(files, folder, all),
                                  answered == answers.end() ? ChoiceAnswers() : answered->second);
    if (!found) return found.error();
    const auto ids = ids_of(*found);
    planned[folder].insert(ids.begin(), ids.end());
  }
  return planned;
}

Result<Inferred> infer(Workspace& workspace,
                       const std::string& folder,
                       const PlannedRows& planned,
                       const ChoiceAnswers& answers) {
  const ProgressStage stage("inferring " + folder);
  if (auto allowed = check_database_id(folder); !allowed) return allowed.error();
  const FileSystem& files = workspace.files();
  if (const auto schema = DatabaseFolder::find_schema_file(files, folder)) {
    return Error{ErrorCode::already_exists,
                 "'" + folder + "' is a database already: it has " + *schema,
                 Map{}};
  }
  std::set<std::string, std::less<>> databases;
  for (const auto& [id, rows] : planned)
    databases.insert(id);
  const FolderContext context = context_of(files, folder, std::move(databases));
  const auto found = find_notes(files, folder, context, answers);
  if (!found) return found.error();
  if (found->paths.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "'" + escape_controls(folder) + "' holds no .md or .yaml files to read",
                 Map{}};
  }
  return Inference(workspace, folder, *found, context, planned).run();
}

Result<Receipt> write_inferred(Workspace& workspace, std::span<const Inferred> inferred) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  Receipt receipt;
  const auto make = [&](Stage stage) -> Result<Plan> {
    Plan plan(stage);
    for (const Inferred& one : inferred)
      plan.create(join_path(one.database_id, "_schema.md"), one.document);
    plan.what = inferred.size() == 1
                    ? "schema inferred for " + inferred.front().database_id
                    : "schemas inferred for " + std::to_string(inferred.size()) + " folders";
    plan.is_fixed = true;
    return plan;
  };
  const auto written = commit(workspace.files(), WriteMode::write, make, receipt);
  if (!written) return written.error();
  return receipt;
}

}  // namespace notesdb
