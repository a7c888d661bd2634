#include "note/relink.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/link.h"
#include "note/scalar.h"

namespace notesdb {

namespace {

std::string path_of(std::string_view database, std::string_view row_id) {
  return database == "." ? std::string(row_id) : std::string(database) + "/" + std::string(row_id);
}

// A relative path as it stands from the workspace root; empty if it leads out of it.
std::optional<std::string> from_root(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> names;
  auto add = [&](std::string_view text) {
    while (!text.empty()) {
      std::string_view name = text.substr(0, text.find('/'));
      text.remove_prefix(std::min(name.size() + 1, text.size()));
      if (name.empty() || name == ".") continue;
      if (name != "..") {
        names.push_back(name);
      } else if (names.empty()) {
        return false;
      } else {
        names.pop_back();
      }
    }
    return true;
  };
  if (!add(folder) || !add(path)) return std::nullopt;
  std::string whole;
  for (std::string_view name : names)
    whole += (whole.empty() ? "" : "/") + std::string(name);
  return whole;
}

// `name` with the old id at its end replaced.
std::string with_new_id(const Relink& how, std::string_view name) {
  return std::string(name.substr(0, name.size() - how.old_id.size())) + how.new_id;
}

// The target of [[...]]; empty if it names another row.
std::optional<std::string> new_wiki_target(const Relink& how, std::string_view target) {
  bool has_ending = target.ends_with(".md");
  std::string_view name = has_ending ? target.substr(0, target.size() - 3) : target;
  bool is_near = name == how.old_id && how.database == how.target;
  if (!is_near && name != path_of(how.target, how.old_id)) return std::nullopt;
  return with_new_id(how, name) + (has_ending ? ".md" : "");
}

// The target of [text](...); empty if it names another row.
std::optional<std::string> new_path_target(const Relink& how, std::string_view target) {
  if (!target.ends_with(".md")) return std::nullopt;
  std::string_view name = target.substr(0, target.size() - 3);
  if (!name.ends_with(how.old_id)) return std::nullopt;
  if (from_root(how.folder, name) != path_of(how.target, how.old_id)) return std::nullopt;
  return with_new_id(how, name) + ".md";
}

// The next link from `at` on: where its target stands, without anchor and alias.
struct LinkPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_wiki = false;
};
std::optional<LinkPlace> next_link(std::string_view text, std::size_t at) {
  std::size_t wiki = text.find("[[", at);
  std::size_t path = text.find("](", at);
  if (wiki == std::string_view::npos && path == std::string_view::npos) return std::nullopt;
  LinkPlace place{std::min(wiki, path) + 2, 0, wiki < path};
  place.end = text.find_first_of(place.is_wiki ? "|#]\n" : "#) \n", place.begin);
  if (place.end == std::string_view::npos) place.end = text.size();
  return place;
}

bool is_reference(const Relink& how, const std::string& text) {
  return row_named_by(text, how.target) == how.old_id;
}

// A relation's text with the new id.
std::string new_relation(const Relink& how, const std::string& text) {
  if (!is_reference(how, text)) return text;
  if (text.ends_with(how.old_id)) return with_new_id(how, text);
  std::size_t at = text.find(how.old_id, text.starts_with("[[") ? 0 : text.find("]("));
  if (at == std::string::npos) return text;
  return text.substr(0, at) + how.new_id + text.substr(at + how.old_id.size());
}

Value new_value(const Relink& how, const Value& value) {
  if (value.is_text()) return new_relation(how, value.text());
  if (!value.is_list()) return value;
  List list;
  for (const Value& item : value.list())
    list.push_back(new_value(how, item));
  return list;
}

}  // namespace

std::string relink_text(const Relink& how, std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  std::size_t at = 0;
  while (std::optional<LinkPlace> place = next_link(text, at)) {
    std::string_view target = text.substr(place->begin, place->end - place->begin);
    std::optional<std::string> changed =
        place->is_wiki ? new_wiki_target(how, target) : new_path_target(how, target);
    if (changed) {
      result += std::string(text.substr(copied, place->begin - copied)) + *changed;
      copied = place->end;
    }
    at = std::max(place->end, place->begin);
  }
  return result += text.substr(copied);
}

Result<Edit> relink(const Schema& schema, const Relink& how, Note& note) {
  Note changed = note;
  Edit outcome = Edit::unchanged;
  for (const Column& column : schema.columns) {
    const Node* node = changed.find(column.id);
    if (node == nullptr || column.type == ColumnType::rollup) continue;
    Value before = read_as(column, *node).value;
    Value after = before;
    if (column.type == ColumnType::relation && column.target == how.target) {
      after = new_value(how, before);
    } else if (column.type == ColumnType::text && before.is_text()) {
      after = relink_text(how, before.text());
    }
    if (after == before) continue;
    Result<Edit> edit = changed.set(column.id, after, {&column, {}});
    if (!edit) return edit;
    outcome = Edit::changed;
  }
  std::string body = relink_text(how, changed.body());
  if (body != changed.body()) {
    Result<Edit> edit = changed.set_body(body);
    if (!edit) return edit;
    outcome = Edit::changed;
  }
  note = std::move(changed);
  return outcome;
}

}  // namespace notesdb
