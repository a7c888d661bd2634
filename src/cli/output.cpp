#include "cli/output.h"

#include <algorithm>

#include "cli/records.h"
#include "cli/terminal.h"
#include "cli/writers.h"
#include "core/text.h"
#include "exchange/write_sheet.h"
#include "exchange/yaml_text.h"
#include "json/json_value.h"
#include "operations/dispatch.h"

namespace notesdb::cli {

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

void tell_page(Console& console, const Value& result) {
  if (result.find("returned") == nullptr) return;
  std::int64_t total = integer_in(result, "total");
  std::int64_t first = integer_in(result, "offset") + 1;
  std::int64_t returned = integer_in(result, "returned");
  const Value* next = result.find("next_offset");
  if (total == 0) console.err("no rows");
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

void tell_issues(Console& console, const Value& result) {
  constexpr std::size_t most = 5;
  const Value* issues = result.find("issues");
  if (issues == nullptr || !issues->is_list()) return;
  std::size_t count = issues->list().size();
  for (std::size_t i = 0; i < std::min(count, most); ++i)
    console.err(issue_text(issues->list()[i]));
  if (count > most) console.err("and " + std::to_string(count - most) + " more issues");
}

// All of them: each is for a person to decide about.
void tell_misfits(Console& console, const Value& result) {
  const Value* misfits = result.find("misfits");
  if (misfits == nullptr || !misfits->is_list()) return;
  for (const Value& misfit : misfits->list())
    console.err(issue_text(misfit));
  console.err(number_of(static_cast<std::int64_t>(misfits->list().size()), "value") +
              " will not fit; --on-misfit keep leaves them, clear removes them");
}

// Of a list without records.
std::string none_of(const std::string& shown) {
  if (shown != "databases") return "no " + shown;
  return "no databases: a folder is one where it holds a _schema.md; `notesdb infer DIR --write` "
         "writes one for the notes in a folder, `notesdb create` makes a new database";
}

// What a table does not show and a person should know.
void tell(Console& console, const Value& result, const std::string& shown) {
  tell_page(console, result);
  if (std::string notice = text_in(result, "notice"); !notice.empty()) console.err(notice);
  std::int64_t unreadable = integer_in(result, "unreadable");
  if (unreadable > 0) console.err(number_of(unreadable, "row") + " could not be read");
  tell_issues(console, result);
  tell_misfits(console, result);
  const Value* record = result.find(shown);
  if (record != nullptr && record->is_map()) tell_issues(console, *record);
  const bool is_counted = result.find("total") != nullptr;  // tell_page has said it
  if (record != nullptr && record->is_list() && record->list().empty() && !is_counted)
    console.err(none_of(shown));
  if (const Value* notes = result.find("notes"); notes != nullptr && notes->is_list())
    for (const Value& note : notes->list())
      console.err(note.text());
  if (const Value* changed = result.find("changed"); changed != nullptr && !changed->boolean())
    console.err("nothing to change: the row is like that already");
  std::string change = text_in(result, "change");
  if (!change.empty()) console.err("to take it back: notesdb undo " + change);
  if (result.find("durable") != nullptr) console.err("stored, but not yet safe from a power cut");
}

// Lines that end as a terminal's do.
std::string without_returns(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;)
    text.erase(at, 1);
  return text;
}

// What is for programs reaches them byte for byte, and a terminal without its controls.
void put(Console& console, std::string text) {
  console.out(console.is_terminal() ? escape_controls(without_returns(std::move(text))) : text);
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
  for (const Value& record : member->list()) {
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
    case OutputFormat::table:
      console.out(
          write_table(records_of(result, shown), static_cast<std::size_t>(console.width())));
      break;
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

Result<void> show(Console& console,
                  OutputFormat format,
                  const Operation& operation,
                  const Value& result) {
  if (format == OutputFormat::table && result.find("diff") != nullptr) {
    put(console, text_in(result, "diff"));
    tell(console, result, operation.shown);
    return {};
  }
  const bool is_brief = format == OutputFormat::table && writes(operation.effect);
  const Value brief = is_brief ? without_body(result, operation.shown) : Value();
  Result<void> shown = show_records(console, format, is_brief ? brief : result, operation.shown);
  if (!shown && writes(operation.effect)) {
    // What has been changed is no failure because of the form that its answer was wanted in.
    console.err(shown.error().message);
    shown = {};
  }
  if (shown && format != OutputFormat::json) tell(console, result, operation.shown);
  return shown;
}

void show_lines(Console& console, const Operation& operation, const LinedAnswer& answer) {
  console.out(answer.lines);
  tell(console, answer.rest, operation.shown);
}

Exit report(const Session& session, const Error& error, Exit exit) {
  Result<OutputFormat> format = format_of(session.words);
  if (format && *format == OutputFormat::json) {
    session.console.err(escape_inside_quotes(to_json(Map{{"error", to_value(error)}})));
  } else {
    session.console.err("notesdb: " + error.message);
  }
  return exit;
}

}  // namespace notesdb::cli
