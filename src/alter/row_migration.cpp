#include "alter/row_migration.h"

#include <algorithm>
#include <utility>

#include "alter/conversion.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

// The rules that a change of these keys may break.
std::set<std::string, std::less<>> rules_of(const Map& keys) {
  std::set<std::string, std::less<>> rules;
  for (const Member& key : keys) {
    if (key.value.is_null() || key.value == Value(false)) continue;
    if (key.key == "min" || key.key == "max") rules.insert("range");
    if (key.key == "required" || key.key == "unique" || key.key == "pattern") rules.insert(key.key);
  }
  return rules;
}

bool is_nothing(const NoteField* field) {
  return field == nullptr || (field->readable && is_empty(read_untyped(field->node)));
}

}  // namespace

void RowMigration::rename_judged(const std::string& column, const std::string& to) {
  auto rules = judged_.extract(column);
  if (rules.empty() || to.empty()) return;
  rules.key() = to;
  judged_.insert(std::move(rules));
}

void RowMigration::add(const SchemaChange& change, const Schema& before, const Schema& after) {
  const Column* old = before.find(change.column);
  const Column* fresh = after.find(change.column);
  Step step{Kind::rename, old != nullptr ? *old : Column(), {}, {}, {}, {}};
  step.after = fresh != nullptr ? *fresh : step.before;
  auto& judged = judged_[change.column];
  switch (change.action) {
    case SchemaAction::rename_column:
      step.after = *after.find(change.to);
      steps_.push_back(step);
      rename_judged(change.column, change.to);
      return;
    case SchemaAction::drop_column:
      step.kind = Kind::drop;
      if (!change.keep_values) steps_.push_back(step);
      judged_.erase(change.column);
      return;
    case SchemaAction::change_type:
      step.kind = Kind::convert;
      steps_.push_back(step);
      judged.insert({"option", "relation", "range", "pattern"});
      if (fresh->unique) judged.insert("unique");
      break;
    case SchemaAction::rename_option:
    case SchemaAction::remove_option:
      step.kind = Kind::option;
      step.option = change.option;
      if (!change.to.empty()) step.replacement = change.to;
      steps_.push_back(step);
      break;
    case SchemaAction::add_column: judged.insert({"type", "option", "relation"}); [[fallthrough]];
    case SchemaAction::set_column:
      judged.merge(rules_of(change.keys));
      if (change.fill) {
        step.kind = Kind::fill;
        step.fill = *change.fill;
        if (fresh->unique) judged.insert("unique");
        steps_.push_back(step);
      }
      break;
    default: break;
  }
  if (judged.empty()) judged_.erase(change.column);
}

bool RowRewriter::report(const Note& note,
                         const std::string& key,
                         std::string rule,
                         std::string message) {
  Issue issue;
  issue.path = path_;
  issue.rule = std::move(rule);
  issue.message = std::move(message);
  issue.field = key;
  if (const NoteField* field = note.find_field(key)) {
    issue.line = field->line;
    issue.column = field->column;
  }
  found_.push_back(std::move(issue));
  return on_invalid_ == OnInvalid::clear;
}

void RowRewriter::set(const Column& column, const Value& value, Note& note) {
  const std::vector<std::string> order = schema_.column_ids();
  auto edit = value.is_null() && note.find_field(column.id) == nullptr
                  ? Result<Edit>(Edit::unchanged)
                  : note.set(column.id, value, {&column, order});
  if (!edit) report(note, column.id, "edit", edit.error().message);
}

void RowRewriter::remove(const std::string& key, Note& note) {
  if (auto edit = note.remove(key); !edit) report(note, key, "edit", edit.error().message);
}

void RowRewriter::rename(const RowMigration::Step& step, Note& note) {
  const std::string& old_id = step.before.id;
  const std::string& new_id = step.after.id;
  if (note.find_field(old_id) == nullptr) return;
  if (note.find_field(new_id) != nullptr) {
    if (!is_nothing(note.find_field(new_id))) {
      report(note, new_id, "key", "the row has a key '" + new_id + "' already");
      return;
    }
    remove(new_id, note);
  }
  if (auto edit = note.rename_key(old_id, new_id); !edit) {
    report(note, old_id, "edit", edit.error().message);
  }
}

void RowRewriter::convert(const RowMigration::Step& step, Note& note) {
  const std::string& key = step.after.id;
  const Node* node = note.find(key);
  if (node == nullptr) return;  // missing; or broken, which it was before
  if (auto value = notesdb::convert(*node, step.before, step.after)) {
    return set(step.after, *value, note);
  }
  const Value value = read_as(step.before, *node).value;
  const bool clears =
      report(note,
             key,
             "type",
             to_display(value) + " does not convert to " + std::string(name_of(step.after.type)));
  if (clears) remove(key, note);
}

void RowRewriter::replace_option(const RowMigration::Step& step, Note& note) {
  const Column& column = step.after;
  const Node* node = note.find(column.id);
  if (node == nullptr) return;
  const Value value = read_as(step.before, *node).value;
  const bool is_list = value.is_list();
  const List before = is_list ? value.list() : List{value};
  const Value option = step.option;
  if (std::ranges::find(before, option) == before.end()) return;
  if (!step.replacement) {
    const bool clears =
        report(note, column.id, "option", "'" + step.option + "' is not an option of " + column.id);
    if (!clears) return;
  }
  List after;
  for (const Value& item : before) {
    if (item != option) {
      after.push_back(item);
    } else if (step.replacement) {
      const Value other = *step.replacement;
      if (std::ranges::find(before, other) == before.end()) after.push_back(other);
    }
  }
  if (is_list) return set(column, Value(std::move(after)), note);
  if (after.empty()) return remove(column.id, note);
  set(column, after.front(), note);
}

void RowRewriter::fill(const RowMigration::Step& step, Note& note) {
  if (!is_nothing(note.find_field(step.after.id))) return;
  const auto value = to_column_value(step.after, step.fill);
  if (value) set(step.after, *value, note);
}

void RowRewriter::judge(const std::string& id,
                        const std::set<std::string, std::less<>>& rules,
                        Note& note) {
  const auto index = schema_.index_of(id);
  const NoteField* field = note.find_field(id);
  if (!index || (field != nullptr && !field->readable)) return;
  const Column& column = schema_.columns[*index];
  std::optional<Value> value;
  if (field != nullptr) {
    Reading reading = read_as(column, field->node);
    if (!reading.fits()) {
      const bool counts = rules.contains("type");
      if (counts && report(note, id, "type", id + ": " + reading.problem)) remove(id, note);
      return;
    }
    value = std::move(reading.value);
  }
  std::vector<Violation> violations = rules_.check(*index, value);
  if (value && column.type == ColumnType::relation) {
    for (Violation& violation : check_relation(column, *value, exists_))
      violations.push_back(std::move(violation));
  }
  for (const Violation& violation : violations) {
    if (!rules.contains(violation.rule)) continue;
    const bool clears = report(note, id, violation.rule, violation.message);
    if (clears && violation.rule != "required") return remove(id, note);
  }
  if (rules.contains("unique") && value && !is_empty(*value)) {
    if (const auto compared = bind_field(id, schema_)) {
      unique_[id][rank_of(*value, *compared)].push_back(
          {to_display(*value), path_, field->line, field->column});
    }
  }
}

void RowRewriter::rewrite(const std::string& path, Note& note) {
  path_ = path;
  for (const RowMigration::Step& step : migration_.steps_) {
    switch (step.kind) {
      case RowMigration::Kind::rename: rename(step, note); break;
      case RowMigration::Kind::drop: remove(step.before.id, note); break;
      case RowMigration::Kind::convert: convert(step, note); break;
      case RowMigration::Kind::option: replace_option(step, note); break;
      case RowMigration::Kind::fill: fill(step, note); break;
    }
  }
  for (const auto& [column, rules] : migration_.judged_)
    judge(column, rules, note);
}

std::vector<Issue> RowRewriter::take_invalid_values() {
  for (const auto& [column, values] : unique_) {
    for (const auto& [rank, holders] : values) {
      for (std::size_t i = 1; i < holders.size(); ++i) {
        Issue issue;
        issue.path = holders[i].path;
        issue.line = holders[i].line;
        issue.column = holders[i].column;
        issue.rule = "unique";
        issue.message = column + " is " + holders[i].value + ", as in " + holders[0].path;
        issue.field = column;
        found_.push_back(std::move(issue));
      }
    }
  }
  unique_.clear();
  return std::move(found_);
}

}  // namespace notesdb
