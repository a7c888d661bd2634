// export: rows as one file for other programs.
#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/operation_command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/text.h"
#include "exchange/cell.h"
#include "exchange/export.h"
#include "exchange/output_file.h"
#include "exchange/sheet.h"
#include "operations/catalog.h"

namespace notesdb::cli {

namespace {

constexpr std::int64_t all_rows = std::int64_t{1} << 53;

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{
      "csv", "tsv", "json", "jsonl", "md", "yaml", "sqlite"};
  return names;
}

// What db_query takes and an export too.
constexpr std::array<std::string_view, 6> asked_like_a_query{
    "filters", "sort", "limit", "offset", "select", "view"};

std::vector<Argument> query_arguments() {
  std::vector<Argument> arguments;
  for (const Argument& argument : find_operation("db_query")->arguments) {
    if (std::ranges::find(asked_like_a_query, argument.name) != asked_like_a_query.end())
      arguments.push_back(argument);
    if (argument.name == "view")
      arguments.back().flag_help = "the filters, order and columns of a view of the schema";
  }
  return arguments;
}

// What is asked for, else what the file's name says, else csv.
Result<std::string> format_wanted(const Words& words) {
  std::optional<std::string> named = words.last("format");
  if (!named && words.has("json")) named = "json";
  if (!named) named = words.last("output");
  if (!named) {
    const std::string path = words.last("to").value_or("");
    const std::string ending = path.substr(std::min(path.rfind('.') + 1, path.size()));
    if (ending == "db" || ending == "sqlite3") return std::string("sqlite");
    if (ending == "yml") return std::string("yaml");
    if (path.empty() || path.find('.', path.rfind('/') + 1) == std::string::npos)
      return std::string("csv");
    if (std::ranges::find(formats(), ending) != formats().end()) return ending;
    Error error = unknown_name(ErrorCode::invalid_argument, "file ending", ending, formats());
    error.message += "; --format says what to write";
    return error;
  }
  if (std::ranges::find(formats(), *named) != formats().end()) return *named;
  return unknown_name(ErrorCode::invalid_argument, "export format", *named, formats());
}

Error wrong_words(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// Flags that mean nothing for the format.
Result<void> check_flags(const Words& words, const std::string& format) {
  struct Belonging {
    std::string_view flag;
    std::vector<std::string> formats;
  };
  static const std::vector<Belonging> belongings{{"defuse", {"csv", "tsv"}},
                                                 {"separator", {"csv"}},
                                                 {"lists", {"sqlite"}},
                                                 {"table", {"sqlite"}},
                                                 {"with", {"sqlite"}}};
  for (const auto& [flag, meant] : belongings) {
    if (!words.has(flag) || std::ranges::find(meant, format) != meant.end()) continue;
    return wrong_words("--" + std::string(flag) + " is for " + meant.front() +
                       (meant.size() > 1 ? " and " + meant.back() : "") + ", not for " + format);
  }
  if (format == "sqlite" && !words.has("to"))
    return wrong_words("an SQLite file needs a name: --to FILE");
  if (words.has("force") && !words.has("to"))
    return wrong_words("--force is for --to FILE, which it replaces");
  return {};
}

class ExportRun {
 public:
  ExportRun(const Session& session, std::string format)
      : session_(session), words_(session.words), format_(std::move(format)) {}

  Result<void> run() {
    Result<Settings> settings = session_.settings();
    if (!settings) return settings.error();
    Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
    if (!workspace) return workspace.error();
    Result<QueryRequest> query = read_query();
    if (!query) return query.error();
    Result<Exported> rows = read_rows(**workspace, words_.last("DB").value_or(""), *query);
    if (!rows) return rows.error();
    count_ = rows->sheet.rows.size();
    if (!words_.has("to")) return show(text_of(without_empty_bodies(*std::move(rows))));
    const Overwrite overwrite = words_.has("force") ? Overwrite::yes : Overwrite::no;
    const auto file = OutputFile::plan(*words_.last("to"), overwrite, **workspace);
    if (!file) return file.error();
    auto written = format_ == "sqlite"
                       ? write_tables(**workspace, *std::move(rows), *file)
                       : file->write(text_of(without_empty_bodies(*std::move(rows))));
    if (written) tell();
    return written;
  }

 private:
  Result<QueryRequest> read_query() const {
    Operation asked;
    asked.arguments = query_arguments();
    Result<Value> given = arguments_of(asked, words_, nullptr);
    if (!given) return given.error();
    const Decoding decoding = decode_arguments(asked.arguments, *given, Door::commands);
    if (!decoding.errors.empty()) return join(decoding.errors);
    const Arguments& arguments = decoding.arguments;
    QueryRequest query;
    query.filters = arguments.value("filters");
    query.sort = arguments.value("sort");
    query.view = arguments.text("view");
    query.select = arguments.names("select");
    query.limit = arguments.integer("limit").value_or(all_rows);
    query.offset = arguments.integer("offset").value_or(0);
    return query;
  }

  Result<Exported> read_rows(Workspace& workspace,
                             const std::string& id,
                             const QueryRequest& query) {
    Result<Database*> database = workspace.get(id);
    if (!database) return database.error();
    Result<Exported> rows = export_rows(**database, query);
    if (!rows) return rows;
    if (!rows->hint.empty()) session_.console.err(rows->hint);
    if (rows->unreadable > 0) {
      session_.console.err(std::to_string(rows->unreadable) + " files of " + id +
                           " could not be read and are left out; notesdb check names them");
    }
    return rows;
  }

  std::string text_of(Exported rows) const {
    Sheet& sheet = rows.sheet;
    if (format_ == "json") return write_json(sheet);
    if (format_ == "jsonl") return write_json_lines(sheet);
    if (format_ == "yaml") return write_yaml(sheet);
    for (auto& row : sheet.rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = for_cell(rows.columns[i], row[i]);
    const Formulas formulas = words_.has("defuse") ? Formulas::defused : Formulas::as_they_are;
    if (format_ == "md") return write_markdown(sheet);
    if (format_ == "tsv") return write_tsv(sheet, formulas);
    return write_csv(sheet, {separator_of(words_), formulas});
  }

  Result<void> write_tables(Workspace& workspace, Exported rows, const OutputFile& file) {
    const auto name_of_table = [](const std::string& id) { return id == "." ? "rows" : id; };
    const std::string id = words_.last("DB").value_or("");
    std::vector<SqliteTable> tables;
    tables.push_back({words_.last("table").value_or(name_of_table(id)), std::move(rows)});
    for (const std::string& other : words_.all("with")) {
      Result<Exported> more = read_rows(workspace, other, {.limit = all_rows});
      if (!more) return more.error();
      count_ += more->sheet.rows.size();
      tables.push_back({name_of_table(other), *std::move(more)});
    }
    const Lists lists = words_.last("lists") == "tables" ? Lists::tables : Lists::json;
    return file.write([&](const std::string& path) -> Result<void> {
      const auto notes = write_sqlite(tables, lists, path);
      if (!notes) return notes.error();
      for (const std::string& note : *notes)
        session_.console.err(note);
      return {};
    });
  }

  Result<void> show(const std::string& text) const {
    Console& console = session_.console;
    const bool is_quoted = format_ == "json" || format_ == "jsonl" || format_ == "yaml";
    if (!console.is_terminal())
      console.out(text);
    else
      console.out(is_quoted ? escape_inside_quotes(text) : escape_controls(text));
    return {};
  }

  void tell() const {
    session_.console.err(std::to_string(count_) + (count_ == 1 ? " row" : " rows") +
                         " written to " + *words_.last("to"));
  }

  const Session& session_;
  const Words& words_;
  std::string format_;
  std::size_t count_ = 0;
};

Exit run_export(const Session& session) {
  Result<std::string> format = format_wanted(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  if (auto right = check_flags(session.words, *format); !right)
    return report(session, right.error(), Exit::wrong_usage);
  if (auto right = check_separator(session.words); !right)
    return report(session, right.error(), Exit::wrong_usage);
  Result<void> done = ExportRun(session, *format).run();
  return done ? Exit::done : report(session, done.error(), Exit::failed);
}

}  // namespace

Command export_command() {
  Command command{
      .name = "export",
      .summary = "Write rows as one file for other programs",
      .positionals = {{.name = "DB", .description = "id from db_list"}},
      .flags =
          {{"format", "FORMAT", "csv, tsv, json, jsonl, md, yaml or sqlite", false, 0, formats()},
           {"to", "FILE", "write there, not to standard output"},
           {"force", "", "replace FILE if it exists"},
           {"defuse", "", "a ' before cells that a spreadsheet would run"},
           {"separator", "CHAR", "between cells of csv: a comma, else ; or tab"},
           {"lists",
            "json|tables",
            "in SQLite: lists as json text, or as tables of their own",
            false,
            0,
            {"json", "tables"}},
           {"table", "NAME", "in SQLite: the table, where it is not called DB"},
           {"with", "DB", "in SQLite: this database as a table too", true}},
      .notes = {"Everything that matches, whole; the columns are _id, those of DB and, where a row "
                "has one, _body; --select gives exactly what it names. Without --format the ending "
                "of FILE decides, else it is csv. FILE appears when it is whole."},
      .run = run_export};
  for (const Argument& argument : query_arguments())
    std::ranges::move(flags_of(argument, Effect::reads), std::back_inserter(command.flags));
  return command;
}

}  // namespace notesdb::cli
