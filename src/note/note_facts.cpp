#include "note/note_facts.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/date.h"
#include "core/text.h"
#include "note/body_text.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t date_size = 10;

class Tags {
 public:
  // With the levels above it: a, a/b.
  void add(std::string_view tag) {
    for (std::size_t end = tag.find('/'); end != npos; end = tag.find('/', end + 1))
      add_one(tag.substr(0, end));
    add_one(tag);
  }
  std::vector<std::string> all;

 private:
  void add_one(std::string_view tag) {
    if (!tag.empty() && known_.insert(fold_case(tag)).second) all.emplace_back(tag);
  }
  std::unordered_set<std::string> known_;
};

void add_property_tag(std::string_view text, TagText rule, Tags& tags) {
  constexpr std::string_view separators = ", \t\n";
  text = trimmed(text);
  if (rule == TagText::none && text.find_first_of(separators) != npos) return;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    std::string_view tag = text.substr(0, end);
    if (tag.starts_with('#')) tag.remove_prefix(1);
    tags.add(tag);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void add_property_tags(const Note& note, TagText rule, Tags& tags) {
  for (const NoteField& field : note.fields()) {
    const bool is_tags = field.key == "tags" || (rule == TagText::split && field.key == "tag");
    if (!is_tags || !field.readable) continue;
    const Value value = read_untyped(field.node);
    for (const Value& item : value.is_list() ? value.list() : List{value})
      if (!item.is_null() && !item.is_list() && !item.is_map())
        add_property_tag(item.is_text() ? item.text() : to_display(item), rule, tags);
  }
}

bool is_date(std::string_view text) {
  return text.size() == date_size && text[4] == '-' && text[7] == '-' && parse_moment(text);
}

// The date behind one of the signs, white space and U+FE0F passed over.
std::string_view date_behind(std::string_view text, std::size_t at) {
  constexpr std::string_view selector = "\xEF\xB8\x8F";
  text.remove_prefix(at);
  if (text.starts_with(selector)) text.remove_prefix(selector.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view date = text.substr(0, date_size);
  return is_date(date) ? date : std::string_view();
}

// A value as Dataview reads it where all of it fits one kind; else text.
Value inline_value(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return {};
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"' &&
      text.find('"', 1) == text.size() - 1)
    return std::string(text.substr(1, text.size() - 2));
  const Value value = read_untyped_plain(text);
  return value.is_number() || value.is_boolean() || value.is_null() ? value
                                                                    : Value(std::string(text));
}

// "1, 2" and "\"a\", \"b\"" are lists; "a, b" is text.
Value inline_values(std::string_view text) {
  if (text.find(',') == npos) return inline_value(text);
  List items;
  for (std::string_view rest = text;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view item = trimmed(rest.substr(0, end));
    const Value value = inline_value(item);
    const bool is_plain_text = value.is_text() && !item.starts_with('"');
    if (is_plain_text || value.is_null()) return std::string(trimmed(text));
    items.push_back(value);
    if (end == rest.size()) return items;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

std::string due_of(std::string_view task) {
  constexpr std::array<std::string_view, 6> signs{
      "\xF0\x9F\x93\x85", "\xF0\x9F\x93\x86", "\xF0\x9F\x97\x93", "[due::", "(due::", "@due("};
  std::string_view last;
  for (const std::string_view sign : signs) {
    const std::size_t at = task.rfind(sign);
    if (at == npos) continue;
    const std::string_view date = date_behind(task, at + sign.size());
    if (!date.empty() && (last.empty() || date.data() > last.data())) last = date;
  }
  return std::string(last);
}

NoteFacts facts_of(const Note& note, TagText tag_text) {
  NoteFacts facts;
  Tags tags;
  std::unordered_map<std::string, std::size_t> places;  // of inline fields
  add_property_tags(note, tag_text, tags);
  scan_body(note.body(),
            {.tag = [&](std::string_view tag) { tags.add(tag); },
             .task =
                 [&](const BodyTask& task) {
                   ++facts.task_count;
                   if (task.box == "x" || task.box == "X") {
                     facts.done_tasks.emplace_back(task.text);
                   } else if (task.box != "-") {
                     facts.open_tasks.emplace_back(task.text);
                     std::string due = due_of(task.text);
                     if (!due.empty() && (facts.next_due.empty() || due < facts.next_due))
                       facts.next_due = std::move(due);
                   }
                 },
             .field =
                 [&](std::string_view key, std::string_view text) {
                   Value value = inline_values(text);
                   const auto [place, is_new] =
                       places.try_emplace(std::string(key), facts.inline_fields.size());
                   if (is_new) {
                     facts.inline_fields.push_back({std::string(key), std::move(value)});
                     return;
                   }
                   Value& known = facts.inline_fields[place->second].value;
                   if (!known.is_list()) known = List{std::move(known)};
                   known.list().push_back(std::move(value));
                 }});
  facts.tags = std::move(tags.all);
  return facts;
}

}  // namespace notesdb
