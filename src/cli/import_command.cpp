// import: the records of a file as rows.
#include <algorithm>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/operation_command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/text.h"
#include "exchange/import.h"
#include "operations/answer.h"
#include "operations/folder_answer.h"

namespace notesdb::cli {

namespace {

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"csv", "tsv", "json", "jsonl", "sqlite"};
  return names;
}

Error wrong_words(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// What is asked for, else what the file's name says.
Result<std::string> format_wanted(const Words& words) {
  const std::string path = words.last("FILE").value_or("");
  if (const auto named = words.last("format")) {
    if (std::ranges::find(formats(), *named) != formats().end()) return *named;
    return unknown_name(ErrorCode::invalid_argument, "import format", *named, formats());
  }
  const std::string ending = path.substr(std::min(path.rfind('.') + 1, path.size()));
  if (ending == "db" || ending == "sqlite3") return std::string("sqlite");
  if (ending == "ndjson") return std::string("jsonl");
  if (std::ranges::find(formats(), ending) != formats().end()) return ending;
  return wrong_words("the name '" + path + "' does not say what the file is; --format does");
}

Result<Source> read_source(const Words& words, const std::string& format) {
  const std::string path = words.last("FILE").value_or("");
  if (format == "sqlite") {
    if (path == "-") return wrong_words("an SQLite file is not read from standard input");
    return read_sqlite_source(path, words.last("table").value_or(""));
  }
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  const std::string name = path == "-" ? "standard input" : path;
  if (format == "csv") return read_csv_source(name, *text, separator_of(words));
  if (format == "tsv") return read_tsv_source(name, *text);
  return format == "json" ? read_json_source(name, *text) : read_json_lines_source(name, *text);
}

Result<ImportRequest> request_of(const Words& words) {
  ImportRequest request;
  request.database_id = words.last("DB").value_or("");
  request.create = words.has("create");
  request.id_from = words.last("id").value_or("");
  request.match = words.last("upsert").value_or("");
  if (words.has("clear-empty")) request.empty_cells = EmptyCells::clear;
  for (const std::string& word : words.all("column"))
    request.columns.push_back(parse_column_word(word));
  for (const std::string& word : words.all("name")) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0)
      return wrong_words("--name '" + word + "' should be NAME=COLUMN, or NAME= to leave it out");
    request.names.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return request;
}

Result<void> check_flags(const Words& words, const std::string& format) {
  if (words.has("separator") && format != "csv")
    return wrong_words("--separator is for csv, not for " + format);
  if (words.has("table") && format != "sqlite")
    return wrong_words("--table is for sqlite, not for " + format);
  if (words.has("column") && !words.has("create"))
    return wrong_words("--column is for --create; an existing database has its columns");
  if (words.has("clear-empty") && !words.has("upsert"))
    return wrong_words("--clear-empty is for --upsert, which changes rows");
  return check_separator(words);
}

class ImportRun {
 public:
  ImportRun(const Session& session, OutputFormat format) : session_(session), format_(format) {}

  Result<ImportAnswer> import_waiting(Workspace& workspace,
                                      const Source& source,
                                      const ImportRequest& request) {
    const InterruptNotice interrupt(whole_or_not);
    const Waiting waiting(session_, "import");
    return import_rows(workspace, source, request, write_mode());
  }

  Exit run(const std::string& source_format) {
    Result<Settings> settings = session_.settings();
    if (!settings) return failed(settings.error());
    Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
    if (!workspace) return failed(workspace.error());
    Result<ImportRequest> request = request_of(session_.words);
    if (!request) return report(session_, request.error(), Exit::wrong_usage);
    Result<Source> source = read_source(session_.words, source_format);
    if (!source) return failed(source.error());
    Result<ImportAnswer> answer = import_waiting(**workspace, *source, *request);
    if (!answer) return failed(answer.error());
    if (!answer->issues.empty()) return refuse(*answer);
    show(*request, *answer);
    return Exit::done;
  }

 private:
  WriteMode write_mode() const {
    return session_.words.has("dry-run") ? WriteMode::dry_run : WriteMode::write;
  }

  Exit failed(const Error& error) const { return report(session_, error, Exit::failed); }

  // Each with its line, so that an editor can go there; then how many.
  Exit refuse(const ImportAnswer& answer) const {
    if (format_ != OutputFormat::json)
      for (const Issue& issue : answer.issues)
        session_.console.err(to_text(issue));
    return failed(import_refusal(answer));
  }

  void show(const ImportRequest& request, const ImportAnswer& answer) const {
    Console& console = session_.console;
    tell_warnings(console, with_receipt(Map{}, answer));
    if (format_ == OutputFormat::json)
      return show_value(console, format_, import_result(request, answer));
    console.out(console.is_terminal() ? escape_controls(answer.diff) : answer.diff);
    console.err(sentence(request, answer));
    if (!answer.change.empty()) console.err("undo with: notesdb undo " + answer.change);
  }

  std::string sentence(const ImportRequest& request, const ImportAnswer& answer) const {
    std::string text = session_.words.has("dry-run") ? "would import " : "imported ";
    text += count_of(answer.inserted, "row");
    text += (answer.created ? " into the new database " : " into ") + request.database_id;
    if (!request.match.empty())
      text += ", " + std::to_string(answer.updated) + " updated, " +
              std::to_string(answer.unchanged) + " unchanged";
    return text;
  }

  const Session& session_;
  OutputFormat format_;
};

Exit run_import(const Session& session) {
  const auto wrong = [&](const Error& error) { return report(session, error, Exit::wrong_usage); };
  Result<OutputFormat> output = format_of(session.words);
  if (!output) return wrong(output.error());
  if (*output != OutputFormat::table && *output != OutputFormat::json)
    return wrong(wrong_words("import says what it did in words, or as json"));
  Result<std::string> format = format_wanted(session.words);
  if (!format) return wrong(format.error());
  if (auto right = check_flags(session.words, *format); !right) return wrong(right.error());
  return ImportRun(session, *output).run(*format);
}

}  // namespace

Command import_command() {
  return {
      .name = "import",
      .summary = "Make rows of the records of a file",
      .positionals = {{.name = "DB", .description = "id from db_list, or of a new database"},
                      {.name = "FILE", .description = "- reads standard input"}},
      .flags = {{"format", "FORMAT", "csv, tsv, json, jsonl or sqlite", false, 0, formats()},
                {"create", "", "make DB where it is missing, with columns as the file has them"},
                {"column", "ID:TYPE[:A,B]", "a column of a new DB to create", true},
                {"id", "NAME", "the column of the file that names rows; else _id, if it is there"},
                {"upsert", "COLUMN", "change the row that has the same value there, or _id"},
                {"clear-empty", "", "with --upsert: an empty cell clears its field"},
                {"name", "NAME=COLUMN", "what a column of the file is; NAME= leaves it out", true},
                {"separator", "CHAR", "between cells of csv: a comma, else ; or tab"},
                {"table", "NAME", "of an SQLite file with several"},
                {"dry-run", "", "show the diff, write nothing"}},
      .notes =
          {"All records or none, as one change that undo takes back. Without --format the "
           "ending of FILE decides. What is wrong is listed with its lines, all of it at once, "
           "and then nothing is imported."},
      .run = run_import};
}

}  // namespace notesdb::cli
