// check: everything wrong in the data, for a person, a program or a continuous integration.
#include <algorithm>

#include "check/check.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/text.h"
#include "git/repository.h"
#include "json/json_value.h"
#include "operations/answer.h"
#include "operations/folder_answer.h"

namespace notesdb::cli {

namespace {

enum class IssueFormat { text, json, jsonl, github };

Result<IssueFormat> issue_format_of(const Words& words) {
  if (words.has("json")) return IssueFormat::json;
  std::string name = words.last("output").value_or("table");
  if (name == "table") return IssueFormat::text;
  if (name == "json") return IssueFormat::json;
  if (name == "jsonl") return IssueFormat::jsonl;
  if (name == "github") return IssueFormat::github;
  return unknown_name(ErrorCode::invalid_argument,
                      "output format of check",
                      name,
                      {"table", "json", "jsonl", "github"});
}

// As the workflow commands of GitHub want their data; in a property also ':' and ','.
enum class GithubPart { message, property };

std::string github_escaped(std::string_view text, GithubPart part) {
  std::string escaped;
  for (char c : text) {
    if (c == '%')
      escaped += "%25";
    else if (c == '\r')
      escaped += "%0D";
    else if (c == '\n')
      escaped += "%0A";
    else if (c == ':' && part == GithubPart::property)
      escaped += "%3A";
    else if (c == ',' && part == GithubPart::property)
      escaped += "%2C";
    else
      escaped += c;
  }
  return escaped;
}

std::string github_line(const Issue& issue) {
  std::string line = "::" + std::string(name_of(issue.severity)) +
                     " file=" + github_escaped(issue.path, GithubPart::property);
  if (issue.line > 0) line += ",line=" + std::to_string(issue.line);
  if (issue.column > 0) line += ",col=" + std::to_string(issue.column);
  line += ",title=" + github_escaped(issue.rule, GithubPart::property);
  return line + "::" + github_escaped(issue.message, GithubPart::message) + "\n";
}

std::string shown_after(const FixedField& field) {
  if (field.after.empty()) return "(removed)";
  return field.after == field.before ? "(indented)" : field.after;
}

std::string fixed_line(const FixedFile& file, const FixedField& field) {
  return file.path + ":" + std::to_string(field.line) + ": " + field.before + "  ->  " +
         shown_after(field) + "  [" + field.rule + "]\n";
}

class CheckRun {
 public:
  CheckRun(const Session& session, IssueFormat format) : session_(session), format_(format) {}

  Exit run() {
    Result<Settings> settings = session_.settings();
    if (!settings) return report(session_, settings.error(), Exit::failed);
    Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
    if (!workspace) return report(session_, workspace.error(), Exit::failed);
    if (Result<void> narrowed = read_request(*settings); !narrowed)
      return report(session_, narrowed.error(), Exit::failed);
    if (session_.words.has("fix")) {
      Result<FixAnswer> fixed = fix(**workspace, request_, write_mode());
      if (!fixed) return report(session_, fixed.error(), Exit::failed);
      fixed_ = *std::move(fixed);
    }
    Result<CheckAnswer> answer = check_all(**workspace);
    if (!answer) return report(session_, answer.error(), Exit::failed);
    show(*answer);
    return answer->issues.empty() ? Exit::done : Exit::failed;
  }

 private:
  Result<CheckAnswer> check_all(Workspace& workspace) const {
    const Waiting waiting(session_, "check");
    return check(workspace, request_);
  }

  WriteMode write_mode() const {
    return session_.words.has("dry-run") ? WriteMode::dry_run : WriteMode::write;
  }

  Result<void> read_request(const Settings& settings) {
    request_.database_id = session_.words.last("DB").value_or("");
    const bool staged = session_.words.has("staged");
    if (!staged && !session_.words.has("changed")) return {};
    Result<Repository> repository = Repository::around(settings.root.value);
    if (!repository) return repository.error();
    auto paths = changed_paths(*repository, staged ? ChangedSince::index : ChangedSince::head);
    if (!paths) return paths.error();
    request_.paths = *std::move(paths);
    return {};
  }

  void show(const CheckAnswer& answer) {
    Console& console = session_.console;
    tell_warnings(console, with_receipt(Map{}, fixed_));
    if (format_ == IssueFormat::json)
      return show_value(console, OutputFormat::json, as_value(answer));
    std::string text;
    if (format_ == IssueFormat::text) text = fixed_lines();
    for (const Issue& issue : answer.issues) {
      if (format_ == IssueFormat::jsonl)
        text += to_json_line(issue);
      else
        text += format_ == IssueFormat::github ? github_line(issue) : to_text(issue) + "\n";
    }
    console.out(console.is_terminal() ? escape_controls(text) : text);
    tell(answer);
  }

  // On standard error, so that the lines stay the data.
  void tell(const CheckAnswer& answer) const {
    std::size_t errors = 0;
    for (const Issue& issue : answer.issues)
      if (issue.severity == Severity::error) ++errors;
    std::size_t warnings = answer.issues.size() - errors;
    std::string sentence = answer.issues.empty()
                               ? "no issues"
                               : count_of(errors, "error") + ", " + count_of(warnings, "warning");
    if (request_.paths && answer.databases == 0)
      sentence += std::string(": no ") + (session_.words.has("staged") ? "staged" : "changed") +
                  " file lies in a database";
    else
      sentence += " in " + count_of(answer.databases, "database");
    if (session_.words.has("fix")) sentence += "; " + fixed_sentence();
    session_.console.err(sentence);
  }

  std::string fixed_sentence() const {
    std::size_t fields = 0;
    for (const FixedFile& file : fixed_.files)
      fields += file.fields.size();
    if (fields == 0) return "nothing could be fixed with certainty";
    std::string sentence =
        count_of(fields, "field") + " in " + count_of(fixed_.files.size(), "file");
    if (write_mode() == WriteMode::dry_run) return sentence + " would be fixed";
    return sentence + " fixed; notesdb undo " + fixed_.change + " takes it back";
  }

  std::string fixed_lines() const {
    std::string lines;
    for (const FixedFile& file : fixed_.files)
      for (const FixedField& field : file.fields)
        lines += fixed_line(file, field);
    return lines;
  }

  static std::string to_json_line(const Issue& issue) {
    return to_json(notesdb::to_value(issue)) + "\n";
  }

  Value as_value(const CheckAnswer& answer) const {
    Value value = check_result(answer);
    if (!session_.words.has("fix")) return value;
    value.set("fixed", fixed_fields(fixed_.files));
    return with_receipt(std::move(value), fixed_);
  }

  const Session& session_;
  IssueFormat format_;
  CheckRequest request_;
  FixAnswer fixed_;
};

Exit run_check(const Session& session) {
  Result<IssueFormat> format = issue_format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  if (session.words.has("dry-run") && !session.words.has("fix")) {
    Error error{ErrorCode::invalid_argument, "--dry-run is for --fix; check alone never writes"};
    return report(session, error, Exit::wrong_usage);
  }
  return CheckRun(session, *format).run();
}

}  // namespace

Command check_command() {
  return {
      .name = "check",
      .summary = "Show everything that is wrong in the data",
      .positionals = {{.name = "DB", .description = "one database; else all", .required = false}},
      .flags = {{"fix", "", "fix what has one meaning, in one change"},
                {"dry-run", "", "with --fix: show the fixes, write nothing"},
                {"changed", "", "only files that differ from the last commit"},
                {"staged", "", "only files that are staged for the next one"}},
      .notes = {"A line an issue: path:line:column: severity: message [rule]. -o json, jsonl or "
                "github (annotations) for programs.",
                "The exit status is 0 without issues, 1 with any, 2 for wrong usage."},
      .run = run_check};
}

}  // namespace notesdb::cli
