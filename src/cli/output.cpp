#include "cli/output.h"

#include <algorithm>
#include <array>

#include "cli/records.h"
#include "cli/terminal.h"
#include "cli/writers.h"
#include "core/error.h"
#include "core/text.h"
#include "exchange/sheet.h"
#include "json/json_value.h"
#include "operations/answer.h"
#include "operations/short_error.h"

namespace notesdb::cli {

namespace {
constexpr std::array<std::string_view, 8> format_names{
    "table", "json", "jsonl", "csv", "tsv", "yaml", "md", "ids"};

// Fails with invalid_argument, naming the formats and the nearest.
Result<OutputFormat> parse_output_format(std::string_view name) {
  const auto* found = std::ranges::find(format_names, name);
  if (found != format_names.end()) return static_cast<OutputFormat>(found - format_names.begin());
  return unknown_name(ErrorCode::invalid_argument, "output format", name, output_format_names());
}

}  // namespace

std::string_view name_of(OutputFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

std::vector<std::string> output_format_names() {
  return {format_names.begin(), format_names.end()};
}

namespace {

std::string number_of(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::int64_t integer_in(const Value& result, std::string_view name) {
  const Value* value = result.find(name);
  return value != nullptr && value->is_integer() ? value->integer() : 0;
}

std::string text_in(const Value& result, std::string_view name) {
  const Value* value = result.find(name);
  return value != nullptr && value->is_text() ? value->text() : "";
}

// Where an answer holds some of what matches, how much there is.
void tell_rest(Console& console, const Value& result) {
  std::int64_t total = integer_in(result, "total");
  std::int64_t first = integer_in(result, "offset") + 1;
  std::int64_t returned = integer_in(result, "returned");
  const Value* next = result.find("next_offset");
  if (next == nullptr || returned == 0) return;
  std::string last = std::to_string(next->integer());
  std::string which = returned == 1 ? "row " : "rows " + std::to_string(first) + " to ";
  console.err(which + last + " of " + std::to_string(total) + "; the next with --offset " + last);
}

std::string issue_text(const Value& issue) {
  std::string line = text_in(issue, "path");
  if (integer_in(issue, "line") > 0) line += ":" + std::to_string(integer_in(issue, "line"));
  if (integer_in(issue, "column") > 0) line += ":" + std::to_string(integer_in(issue, "column"));
  return line + ": " + text_in(issue, "severity") + ": " + text_in(issue, "message") + " [" +
         text_in(issue, "rule") + "]";
}

void tell_issues(Console& console, const List& issues) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(issues.size(), most); ++i)
    console.err(issue_text(issues[i]));
  if (issues.size() > most)
    console.err("and " + std::to_string(issues.size() - most) + " more issues");
}

void tell_issues(Console& console, const Value& result) {
  const Value* issues = result.find("issues");
  if (issues != nullptr && issues->is_list()) tell_issues(console, issues->list());
}

// What is wrong with the records themselves.
List issues_of_rows(const Value& result, const std::string& shown) {
  List issues;
  const Value* records = result.find(shown);
  if (records == nullptr || !records->is_list()) return issues;
  for (const Value& record : records->list()) {
    const Value* own = record.is_map() ? record.find("issues") : nullptr;
    if (own != nullptr && own->is_list())
      issues.insert(issues.end(), own->list().begin(), own->list().end());
  }
  return issues;
}

// All of them: each is for a person to decide about.
void tell_invalid_values(Console& console, const Value& result) {
  const Value* invalid_values = result.find("invalid_values");
  if (invalid_values == nullptr || !invalid_values->is_list()) return;
  for (const Value& invalid : invalid_values->list())
    console.err(issue_text(invalid));
  console.err(number_of(static_cast<std::int64_t>(invalid_values->list().size()), "value") +
              " cannot be converted; --on-invalid keep leaves them, clear removes them");
}

// Of a list without records.
std::string none_of(const std::string& shown) {
  if (shown != "databases") return "no " + shown;
  return "no databases: a folder is one where it holds a _schema.md; `notesdb infer DIR --write` "
         "writes one for the notes in a folder, `notesdb create` makes a new database";
}

// What an answer has to say beside its records, which is said whatever their form.
void tell_beside(Console& console, const Value& result, const List& of_rows) {
  tell_rest(console, result);
  if (std::string notice = text_in(result, "notice"); !notice.empty()) console.err(notice);
  std::int64_t unreadable = integer_in(result, "unreadable");
  if (unreadable > 0) console.err(number_of(unreadable, "row") + " could not be read");
  tell_issues(console, result);
  tell_issues(console, of_rows);
}

// What a table does not show and a person should know.
void tell(Console& console, const Value& result, const std::string& shown) {
  // What counts only what it gives has no total.
  const bool has_total = result.find("total") != nullptr;
  const bool has_count = result.find("returned") != nullptr;
  if (has_count && integer_in(result, has_total ? "total" : "returned") == 0)
    console.err("no rows");
  tell_beside(console, result, issues_of_rows(result, shown));
  tell_invalid_values(console, result);
  const Value* record = result.find(shown);
  if (record != nullptr && record->is_map()) tell_issues(console, *record);
  const bool is_counted = has_total || has_count;
  if (record != nullptr && record->is_list() && record->list().empty() && !is_counted)
    console.err(none_of(shown));
  if (const Value* changed = result.find("changed"); changed != nullptr && !changed->boolean())
    console.err("no change: the row already has these values");
  std::string change = text_in(result, "change");
  if (!change.empty()) console.err("undo with: notesdb undo " + change);
}

// What is for programs reaches them byte for byte, and a terminal without its controls.
void put(Console& console, std::string text) {
  console.out(console.is_terminal() ? escape_controls(without_returns(text)) : text);
}

void put_diff(Console& console, std::string diff) {
  if (!console.has_colours()) return put(console, std::move(diff));
  console.out(coloured_diff(escape_controls(without_returns(diff))));
}

void put_table(Console& console, const Records& records) {
  const std::string table = write_table(records, static_cast<std::size_t>(console.width()));
  const bool has_header = console.has_colours() && !records.is_single;
  console.out(has_header ? coloured_table(table) : table);
}

// Whether a row belongs to a group: its value, one of its list, or the day of its time.
bool is_of_group(const Value& row, std::string_view name, const Value& group) {
  const Value* fields = row.find("fields");
  const Value* value =
      fields == nullptr ? nullptr : fields->find(name.substr(0, name.rfind(":day")));
  if (value == nullptr || value->is_null()) return group.is_null();
  if (*value == group) return true;
  if (value->is_list())
    return std::ranges::find(value->list(), group) != value->list().end() ||
           (value->list().empty() && group.is_null());
  return name.ends_with(":day") && value->is_text() && group.is_text() &&
         value->text().starts_with(group.text());
}

// The rows of a board or a calendar, group by group, each under its value and its count.
void put_groups(Console& console, const Value& result, const List& groups) {
  // What a row is grouped by may not be among the columns that are shown; then only counts are.
  const Value* columns = result.find("columns");
  const std::string name = groups.empty() ? "" : groups.front().map().front().key;
  const Value column(name.substr(0, name.rfind(":day")));
  const bool shows_column = columns != nullptr && columns->is_list() &&
                            std::ranges::find(columns->list(), column) != columns->list().end();
  if (!shows_column) {
    put_table(console, records_of(result, "rows"));
    console.out("\n");
    return put_table(console, records_of(result, "groups"));
  }
  bool is_first = true;
  for (const Value& group : groups) {
    const Member& of = group.map().front();
    Value part = result;
    List& rows = part.find("rows")->list();
    std::erase_if(rows, [&](const Value& row) { return !is_of_group(row, of.key, of.value); });
    const std::string title = of.value.is_null() ? "(none)" : escape_controls(cell_text(of.value));
    const std::string heading = title + " (" + std::to_string(integer_in(group, "count")) + ")";
    console.out((is_first ? "" : "\n") +
                (console.has_colours() ? coloured_title(heading) : heading) + "\n");
    is_first = false;
    if (!rows.empty()) put_table(console, records_of(part, "rows"));
  }
}

// Members of an answer below its records, each under its name.
void put_others(Console& console, const Value& result, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Value* member = result.find(name);
    if (member == nullptr || member->is_null()) continue;
    Value list = *member;
    if (name == "templates" && list.is_map()) {
      List templates;  // a map of maps: the key is the first column
      for (const Member& one : member->map()) {
        Value record = one.value;
        if (record.is_map()) record.map().insert(record.map().begin(), {"template", one.key});
        templates.push_back(std::move(record));
      }
      list = std::move(templates);
    }
    const bool is_empty =
        (list.is_list() && list.list().empty()) || (list.is_map() && list.map().empty());
    if (is_empty) continue;
    console.out("\n" + name + ":\n");
    put_table(console, records_of(Map{{name, std::move(list)}}, name));
  }
}

// A list of things that have ids is told by the ids.
Sheet as_shown(Records records) {
  for (auto& row : records.rows)
    for (Value& cell : row)
      if (cell.is_list()) cell = cell_text(cell);
  return records;
}

std::string json_lines(const Value& result, const std::string& shown) {
  const Value* member = result.find(shown);
  if (member == nullptr) member = &result;
  if (!member->is_list()) return to_json(*member) + "\n";
  std::string lines;
  for (const Value& record : named_records(result, shown)) {
    append_json(lines, record);
    lines += '\n';
  }
  return lines;
}

std::string id_lines(const std::vector<std::string>& ids) {
  std::string lines;
  for (const std::string& id : ids)
    lines += id + "\n";
  return lines;
}

bool has_no_ids(const Value& result, const std::string& shown) {
  const Value* member = result.find(shown);
  bool is_empty_list = member != nullptr && member->is_list() && member->list().empty();
  return !is_empty_list && ids_of(result, shown).empty();
}

}  // namespace

Result<OutputFormat> format_of(const Words& words) {
  if (words.has("json")) return OutputFormat::json;
  std::optional<std::string> name = words.last("output");
  return name ? parse_output_format(*name) : OutputFormat::table;
}

void show_value(Console& console, OutputFormat format, const Value& value) {
  if (format == OutputFormat::yaml) return console.out(escape_inside_quotes(yaml_text(value)));
  // A person reads indented JSON, a program does not care.
  std::string text = console.is_terminal() ? to_indented_json(value) : to_json(value);
  console.out((console.is_terminal() ? escape_inside_quotes(text) : text) + "\n");
}

Result<void> show_records(Console& console,
                          OutputFormat format,
                          const Value& result,
                          const std::string& shown) {
  switch (format) {
    case OutputFormat::json:
    case OutputFormat::yaml: show_value(console, format, result); break;
    case OutputFormat::jsonl: {
      std::string lines = json_lines(result, shown);
      console.out(console.is_terminal() ? escape_inside_quotes(lines) : std::move(lines));
      break;
    }
    case OutputFormat::csv: put(console, write_csv(records_of(result, shown))); break;
    case OutputFormat::tsv: put(console, write_tsv(records_of(result, shown))); break;
    case OutputFormat::md: put(console, write_markdown(as_shown(records_of(result, shown)))); break;
    case OutputFormat::table: put_table(console, records_of(result, shown)); break;
    case OutputFormat::ids:
      if (has_no_ids(result, shown)) {
        return Error{ErrorCode::invalid_argument,
                     "this answer has no ids; choose another output format than ids",
                     Map{}};
      }
      put(console, id_lines(ids_of(result, shown)));
  }
  return {};
}

namespace {

// After a write a person wants to see the fields, not pages of text.
Value without_body(Value result, const std::string& shown) {
  Value* record = result.find(shown);
  if (record != nullptr && record->is_map())
    std::erase_if(record->map(), [](const Member& member) { return member.key == "body"; });
  return result;
}

}  // namespace

void tell_warnings(Console& console, const Value& result) {
  if (const Value* warnings = result.find("warnings"); warnings != nullptr && warnings->is_list())
    for (const Value& warning : warnings->list())
      console.err(warning.text());
  if (result.find("durable") != nullptr) console.err("written, but not durable");
}

Result<void> show(Console& console,
                  OutputFormat format,
                  const Operation& operation,
                  const Value& result) {
  tell_warnings(console, result);
  // An answer of rows is shown by them, whatever else the operation may answer with.
  const bool has_shown = result.find(operation.shown) != nullptr;
  const std::string shown_name =
      has_shown || result.find("rows") == nullptr ? operation.shown : "rows";
  if (format == OutputFormat::table && result.find("diff") != nullptr) {
    put_diff(console, text_in(result, "diff"));
    tell(console, result, shown_name);
    return {};
  }
  const Value* groups = result.find("groups");
  const Value* rows = result.find("rows");
  if (format == OutputFormat::table && groups != nullptr && rows != nullptr) {
    put_groups(console, result, groups->list());
    put_others(console, result, operation.also_shown);
    tell(console, result, shown_name);
    return {};
  }
  const bool is_brief = format == OutputFormat::table && writes(operation.effect);
  const Value brief = is_brief ? without_body(result, shown_name) : Value();
  Result<void> shown = show_records(console, format, is_brief ? brief : result, shown_name);
  if (!shown && writes(operation.effect)) {
    // What has been changed is no failure because of the form that its answer was wanted in.
    console.err(shown.error().message);
    shown = {};
  }
  if (!shown) return shown;
  if (format == OutputFormat::table) put_others(console, result, operation.also_shown);
  if (format == OutputFormat::json) {
    tell_beside(console, result, issues_of_rows(result, shown_name));
  } else {
    tell(console, result, shown_name);
  }
  return shown;
}

void show_written(Console& console,
                  OutputFormat format,
                  const Operation& operation,
                  WrittenAnswer answer) {
  const List of_rows = to_value(answer.of_rows).list();
  tell_warnings(console, answer.rest);
  console.out(answer.text);
  if (format == OutputFormat::json) {
    console.out("\n");
    tell_beside(console, answer.rest, of_rows);
  } else {
    tell(console, answer.rest, operation.shown);
    tell_issues(console, of_rows);
  }
}

void show_count(Console& console, const Operation& operation, const Value& result) {
  console.out(std::to_string(integer_in(result, "total")) + "\n");
  tell_beside(console, result, issues_of_rows(result, operation.shown));
}

Exit report(const Session& session, const Error& error, Exit exit) {
  Result<OutputFormat> format = format_of(session.words);
  const std::string message = full_message(error);
  if (format && *format == OutputFormat::json) {
    session.console.err(escape_inside_quotes(to_json(Map{{"error", to_value(error)}})));
  } else {
    for (std::size_t begin = 0; begin <= message.size();) {
      const std::size_t end = std::min(message.find('\n', begin), message.size());
      session.console.err("notesdb: " + message.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return exit;
}

}  // namespace notesdb::cli
