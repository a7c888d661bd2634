#include "alter/row_deeds.h"

#include <algorithm>
#include <utility>

#include "alter/conversion.h"
#include "note/scalar.h"

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

void RowDeeds::rename_judged(const std::string& column, const std::string& to) {
  auto rules = judged_.extract(column);
  if (rules.empty() || to.empty()) return;
  rules.key() = to;
  judged_.insert(std::move(rules));
}

void RowDeeds::add(const SchemaChange& change, const Schema& before, const Schema& after) {
  const Column* old = before.find(change.column);
  const Column* fresh = after.find(change.column);
  Deed deed{Kind::rename, old != nullptr ? *old : Column(), {}, {}, {}, {}};
  deed.after = fresh != nullptr ? *fresh : deed.before;
  auto& judged = judged_[change.column];
  switch (change.action) {
    case SchemaAction::rename_column:
      deed.after = *after.find(change.to);
      deeds_.push_back(deed);
      rename_judged(change.column, change.to);
      return;
    case SchemaAction::drop_column:
      deed.kind = Kind::drop;
      if (!change.keep_values) deeds_.push_back(deed);
      judged_.erase(change.column);
      return;
    case SchemaAction::change_type:
      deed.kind = Kind::convert;
      deeds_.push_back(deed);
      judged.insert({"option", "relation", "range", "pattern"});
      if (fresh->unique) judged.insert("unique");
      break;
    case SchemaAction::rename_option:
    case SchemaAction::remove_option:
      deed.kind = Kind::option;
      deed.option = change.option;
      if (!change.to.empty()) deed.replacement = change.to;
      deeds_.push_back(deed);
      break;
    case SchemaAction::add_column: judged.insert({"type", "option", "relation"}); [[fallthrough]];
    case SchemaAction::set_column:
      judged.merge(rules_of(change.keys));
      if (change.fill) {
        deed.kind = Kind::fill;
        deed.fill = *change.fill;
        if (fresh->unique) judged.insert("unique");
        deeds_.push_back(deed);
      }
      break;
    default: break;
  }
  if (judged.empty()) judged_.erase(change.column);
}

bool RowRewriter::misfit(const Note& note,
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
  return misfits_ == Misfits::clear;
}

void RowRewriter::set(const Column& column, const Value& value, Note& note) {
  const std::vector<std::string> order = schema_.column_ids();
  auto edit = value.is_null() && note.find_field(column.id) == nullptr
                  ? Result<Edit>(Edit::unchanged)
                  : note.set(column.id, value, {&column, order});
  if (!edit) misfit(note, column.id, "edit", edit.error().message);
}

void RowRewriter::remove(const std::string& key, Note& note) {
  if (auto edit = note.remove(key); !edit) misfit(note, key, "edit", edit.error().message);
}

void RowRewriter::rename(const RowDeeds::Deed& deed, Note& note) {
  const std::string& old_id = deed.before.id;
  const std::string& new_id = deed.after.id;
  if (note.find_field(old_id) == nullptr) return;
  if (note.find_field(new_id) != nullptr) {
    if (!is_nothing(note.find_field(new_id))) {
      misfit(note, new_id, "key", "the row has a key '" + new_id + "' already");
      return;
    }
    remove(new_id, note);
  }
  if (auto edit = note.rename_key(old_id, new_id); !edit) {
    misfit(note, old_id, "edit", edit.error().message);
  }
}

void RowRewriter::convert(const RowDeeds::Deed& deed, Note& note) {
  const std::string& key = deed.after.id;
  const Node* node = note.find(key);
  if (node == nullptr) return;  // missing; or broken, which it was before
  if (auto value = notesdb::convert(*node, deed.before, deed.after)) {
    return set(deed.after, *value, note);
  }
  const Value value = read_as(deed.before, *node).value;
  const bool clears =
      misfit(note,
             key,
             "type",
             to_display(value) + " does not convert to " + std::string(name_of(deed.after.type)));
  if (clears) remove(key, note);
}

void RowRewriter::replace_option(const RowDeeds::Deed& deed, Note& note) {
  const Column& column = deed.after;
  const Node* node = note.find(column.id);
  if (node == nullptr) return;
  const Value value = read_as(deed.before, *node).value;
  const bool is_list = value.is_list();
  const List before = is_list ? value.list() : List{value};
  const Value option = deed.option;
  if (std::ranges::find(before, option) == before.end()) return;
  if (!deed.replacement) {
    const bool clears = misfit(
        note, column.id, "option", "'" + deed.option + "' is no option of " + column.id + " then");
    if (!clears) return;
  }
  List after;
  for (const Value& item : before) {
    if (item != option) {
      after.push_back(item);
    } else if (deed.replacement) {
      const Value other = *deed.replacement;
      if (std::ranges::find(before, other) == before.end()) after.push_back(other);
    }
  }
  if (is_list) return set(column, Value(std::move(after)), note);
  if (after.empty()) return remove(column.id, note);
  set(column, after.front(), note);
}

void RowRewriter::fill(const RowDeeds::Deed& deed, Note& note) {
  if (!is_nothing(note.find_field(deed.after.id))) return;
  const auto value = to_column_value(deed.after, deed.fill);
  if (value) set(deed.after, *value, note);
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
      if (counts && misfit(note, id, "type", id + ": " + reading.problem)) remove(id, note);
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
    const bool clears = misfit(note, id, violation.rule, violation.message);
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
  for (const RowDeeds::Deed& deed : deeds_.deeds_) {
    switch (deed.kind) {
      case RowDeeds::Kind::rename: rename(deed, note); break;
      case RowDeeds::Kind::drop: remove(deed.before.id, note); break;
      case RowDeeds::Kind::convert: convert(deed, note); break;
      case RowDeeds::Kind::option: replace_option(deed, note); break;
      case RowDeeds::Kind::fill: fill(deed, note); break;
    }
  }
  for (const auto& [column, rules] : deeds_.judged_)
    judge(column, rules, note);
}

std::vector<Issue> RowRewriter::take_misfits() {
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
