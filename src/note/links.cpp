#include "note/links.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/file_name.h"
#include "core/text.h"
#include "note/json_front_matter.h"
#include "yaml/node.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

std::string path_of(std::string_view database, std::string_view row_id) {
  return database == "." ? std::string(row_id) : std::string(database) + "/" + std::string(row_id);
}

// What a new path must spell otherwise inside [text](...); `old` shows how the letters beyond ASCII
// were spelled, and whether parentheses stand as they are.
std::string percent_encoded(std::string_view text, std::string_view old) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const std::string_view delicate = old.find('(') == npos ? " ()<>%#\"\\" : " <>%#\"\\";
  const bool spells_out = std::ranges::any_of(old, [](char c) { return c == '%'; });
  const bool has_raw_letters =
      std::ranges::any_of(old, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = byte >= 0x80 && (!spells_out || has_raw_letters);
    const bool is_plain = byte > ' ' && byte < 0x7F && delicate.find(c) == npos;
    if (is_letter || is_plain) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

// Without the ending, as ids have none.
std::string_view without_md(std::string_view path) {
  if (is_markdown_file(path)) path.remove_suffix(row_file_ending(path).size());
  return path;
}

// A list in a list that holds one text: what YAML makes of [[Note]] without quotes.
const std::string* unquoted_link(const Value& value) {
  if (!value.is_list() || value.list().size() != 1) return nullptr;
  const Value& inner = value.list().front();
  const bool is_one = inner.is_list() && inner.list().size() == 1 && inner.list().front().is_text();
  return is_one ? &inner.list().front().text() : nullptr;
}

// What becomes of one value. `target` is that of a relation, empty for any other field.
Value new_value(const Relink& how, const Value& value, std::string_view target);

std::optional<std::string> rewritten(const Relink& how,
                                     const std::string& text,
                                     std::string_view target) {
  BodyLink link;
  if (!scan_whole_link(text, link)) return std::nullopt;
  const auto changed = how.rewrite(link, target);
  if (!changed) return std::nullopt;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return text.substr(0, begin) + *changed + text.substr(begin + link.written.size());
}

// A relation's text with the new id.
std::string new_relation(const Relink& how, const std::string& text, std::string_view target) {
  if (const auto changed = rewritten(how, text, target)) return *changed;
  BodyLink link;
  if (target != how.target || scan_whole_link(text, link)) return text;
  if (row_named_by(text, how.target) != how.old_id) return text;
  return text.substr(0, text.size() - how.old_id.size()) + how.new_id;
}

Value new_list(const Relink& how, const Value& value, std::string_view target) {
  if (const std::string* name = unquoted_link(value)) {
    const auto changed = rewritten(how, "[[" + *name + "]]", target);
    const bool is_wiki = changed && changed->starts_with("[[") && changed->ends_with("]]");
    if (!is_wiki) return value;
    return List{List{changed->substr(2, changed->size() - 4)}};
  }
  List list;
  for (const Value& item : value.list())
    list.push_back(new_value(how, item, target));
  return list;
}

Value new_value(const Relink& how, const Value& value, std::string_view target) {
  if (value.is_text())
    return target.empty() ? relink_text(how, value.text())
                          : new_relation(how, value.text(), target);
  if (value.is_map()) {
    Map map;
    for (const Member& member : value.map())
      map.push_back({member.key, new_value(how, member.value, target)});
    return map;
  }
  return value.is_list() ? new_list(how, value, target) : value;
}

// Text and what no schema speaks of may hold links; a select's option or a date does not.
bool may_hold_links(const Column* column) {
  return column == nullptr || column->type == ColumnType::text ||
         column->type == ColumnType::list || column->type == ColumnType::relation ||
         column->type == ColumnType::json;
}

Value new_field(const Relink& how, const Column* column, const Value& before) {
  if (!may_hold_links(column)) return before;
  const bool names_rows = column != nullptr && column->type == ColumnType::relation;
  return new_value(how, before, names_rows ? std::string_view(column->target) : "");
}

// The path from a folder, of two paths from the root.
std::string relative_path(std::string_view folder, std::string_view path) {
  std::string up;
  while (folder != "." &&
         !(path.starts_with(folder) && path.substr(folder.size()).starts_with('/'))) {
    up += "../";
    const std::size_t slash = folder.rfind('/');
    folder = slash == npos ? "." : folder.substr(0, slash);
  }
  return up + std::string(folder == "." ? path : path.substr(folder.size() + 1));
}

void visit_field(const std::string& key,
                 const Value& value,
                 const std::function<void(const FieldLink&)>& visit) {
  BodyLink link;
  if (value.is_text()) {
    const std::string& text = value.text();
    if (text.find("[[") != npos && scan_whole_link(text, link) && link.form == LinkForm::wiki)
      visit({key, std::string(link.written)});
  } else if (const std::string* name = unquoted_link(value)) {
    visit({key, "[[" + *name + "]]", false});
  } else if (value.is_list()) {
    for (const Value& item : value.list())
      visit_field(key, item, visit);
  }
}

}  // namespace

void for_each_link(std::string_view body,
                   const std::function<void(const BodyLink&)>& visit,
                   TagLinks tags) {
  scan_body(body, {.link = visit, .tag_links = tags == TagLinks::yes});
}

void for_each_field_link(const Note& note, const std::function<void(const FieldLink&)>& visit) {
  for (const NoteField& field : note.fields())
    if (field.readable) visit_field(field.key, read_untyped(field.node), visit);
}

bool is_canvas(std::string_view path) {
  return path.ends_with(".canvas");
}

namespace {

enum class CanvasText { file, text };

// Calls `visit` for what each card holds that may be a link or have some.
void for_each_card(std::string_view bytes,
                   const std::function<void(CanvasText, const Node&)>& visit) {
  const auto canvas = Note::parse(std::string(bytes), NoteFormat::markdown);
  const Node* cards = canvas ? canvas->find("nodes") : nullptr;
  if (cards == nullptr) return;
  for (const Node& card : cards->items) {
    const Node* file = card.find("file");
    if (file != nullptr && !file->text.empty()) visit(CanvasText::file, *file);
    if (const Node* text = card.find("text")) visit(CanvasText::text, *text);
  }
}

// The path of a card's file is from the root.
BodyLink link_of_card(const std::string& path) {
  BodyLink link;
  link.written = link.path = path;
  return link;
}

// Where each byte of a text stands in the JSON that spells it, from after its first quote; and the
// place of its last quote.
std::vector<std::size_t> places_in_json(std::string_view json) {
  std::vector<std::size_t> places;
  const auto add = [&](std::size_t at, std::size_t bytes) {
    places.insert(places.end(), bytes, at);
  };
  std::size_t at = 0;
  while (at < json.size() && json[at] != '"') {
    const std::size_t begin = at;
    if (json[at] != '\\') {
      add(begin, 1);
      ++at;
    } else if (json.substr(at + 1, 1) != "u") {
      add(begin, 1);
      at += 2;
    } else {
      const auto code = static_cast<unsigned>(
          std::strtoul(std::string(json.substr(at + 2, 4)).c_str(), nullptr, 16));
      const bool is_pair = code >= 0xD800 && code < 0xDC00;
      add(begin, is_pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3);
      at += is_pair ? 12 : 6;
    }
  }
  places.push_back(at);
  return places;
}

std::size_t begin_of_line(std::string_view bytes, std::uint32_t line) {
  std::size_t begin = 0;
  while (--line > 0)
    begin = bytes.find('\n', begin) + 1;
  return begin;
}

}  // namespace

void for_each_canvas_link(std::string_view bytes,
                          const std::function<void(const BodyLink&)>& visit) {
  for_each_card(bytes, [&](CanvasText kind, const Node& node) {
    if (kind == CanvasText::text) return for_each_link(node.text, visit);
    const std::string path = "/" + node.text;
    visit(link_of_card(path));
  });
}

std::string relink_canvas(
    std::string_view bytes,
    const std::function<std::optional<std::string>(const BodyLink&)>& rewrite) {
  struct Splice {
    Span place;
    std::string now;
  };
  std::vector<Splice> splices;
  for_each_card(bytes, [&](CanvasText kind, const Node& node) {
    const std::size_t first = begin_of_line(bytes, node.line) + node.column;
    std::vector<std::size_t> places;
    // Only what differs: the rest of a link may be spelled with escapes.
    const auto splice = [&](std::size_t begin, std::size_t end, const std::string& now) {
      if (places.empty()) places = places_in_json(bytes.substr(first));
      if (places.size() != node.text.size() + 1) return;
      const std::string_view old = std::string_view(node.text).substr(begin, end - begin);
      const auto is_inside = [](std::string_view text, std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
      };
      const std::size_t shorter = std::min(old.size(), now.size());
      std::size_t same = 0;
      while (same < shorter && old[same] == now[same])
        ++same;
      while (is_inside(old, same) || is_inside(now, same))
        --same;
      std::size_t tail = 0;
      while (tail < shorter - same && old[old.size() - tail - 1] == now[now.size() - tail - 1])
        ++tail;
      while (is_inside(old, old.size() - tail) || is_inside(now, now.size() - tail))
        --tail;
      const std::string json =
          write_json_value(Value(now.substr(same, now.size() - same - tail)), nullptr, "");
      splices.push_back({{first + places[begin + same], first + places[end - tail]},
                         json.substr(1, json.size() - 2)});
    };
    if (kind == CanvasText::file) {
      const std::string path = "/" + node.text;
      const auto now = rewrite(link_of_card(path));
      if (now && now->starts_with('/')) splice(0, node.text.size(), now->substr(1));
      return;
    }
    for_each_link(node.text, [&](const BodyLink& link) {
      const auto begin = static_cast<std::size_t>(link.written.data() - node.text.data());
      if (const auto now = rewrite(link)) splice(begin, begin + link.written.size(), *now);
    });
  });
  std::ranges::sort(splices, {}, [](const Splice& one) { return one.place.begin; });
  std::string result;
  std::size_t copied = 0;
  for (const Splice& one : splices) {
    result += bytes.substr(copied, one.place.begin - copied);
    result += one.now;
    copied = one.place.end;
  }
  return result += bytes.substr(copied);
}

std::string with_path(const BodyLink& link,
                      std::string_view path,
                      const std::optional<std::string>& text) {
  const std::string_view whole = link.written;
  std::string spelled(path);
  if (link.form == LinkForm::tag) return is_tag_name(path) ? "#" + spelled : "#[[" + spelled + "]]";
  const bool is_markdown = link.form == LinkForm::markdown || link.form == LinkForm::definition;
  if (is_markdown && !link.in_angles) spelled = percent_encoded(path, link.path);
  const bool is_odd = link.form == LinkForm::wiki && path.find_first_of("#^|[]") != npos;
  if (is_odd) {  // no wiki link can hold such a path
    const std::string shown = text ? *text : std::string(link.text.empty() ? path : link.text);
    const std::string place = link.subpath.empty() ? "" : "#" + std::string(link.subpath);
    return "[" + shown + "](" + percent_encoded(path, "") + place + ")";
  }
  const auto at = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - whole.data());
  };
  struct Part {
    std::string_view old;
    std::string_view now;
  };
  std::vector<Part> parts{{link.path, spelled}};
  if (text && !link.text.empty()) parts.push_back({link.text, *text});
  std::ranges::sort(parts, {}, [&](const Part& part) { return at(part.old); });
  std::string result;
  std::size_t copied = 0;
  for (const Part& part : parts) {
    result += whole.substr(copied, at(part.old) - copied);
    result += part.now;
    copied = at(part.old) + part.old.size();
  }
  return result += whole.substr(copied);
}

LinkRewrite rewrite_by_id(std::string folder, const Relink& how, bool is_same_database) {
  const std::string row = path_of(how.target, how.old_id);
  return [folder = std::move(folder),
          row,
          how_target = how.target,
          old_id = how.old_id,
          new_id = how.new_id,
          is_same_database](const BodyLink& link,
                            std::string_view target) -> std::optional<std::string> {
    if (link.form == LinkForm::tag) return std::nullopt;
    const std::string whole = path_meant(link);
    const std::string_view path = without_md(whole);
    const std::string_view ending = std::string_view(whole).substr(path.size());
    const bool is_wiki = link.form == LinkForm::wiki;
    const bool is_near = is_wiki ? is_same_database || target == how_target : target == how_target;
    const bool is_meant = is_wiki
                              ? path == row || (is_near && path == old_id)
                              : resolve_path(folder, path) == row || (is_near && path == old_id);
    if (!is_meant) return std::nullopt;
    const bool ends_with_id =
        path.ends_with(old_id) &&
        (path.size() == old_id.size() || path[path.size() - old_id.size() - 1] == '/');
    const std::string now = ends_with_id
                                ? std::string(path.substr(0, path.size() - old_id.size())) + new_id
                                : relative_path(folder, path_of(how_target, new_id));
    const bool shows_id = link.text == old_id;
    return with_path(
        link, now + std::string(ending), shows_id ? std::optional(new_id) : std::nullopt);
  };
}

Value relink_relation(const Relink& how, const Value& value) {
  return new_value(how, value, how.target);
}

std::string relink_text(const Relink& how, std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  for_each_link(
      text,
      [&](const BodyLink& link) {
        const auto changed = how.rewrite(link, "");
        if (!changed) return;
        const auto begin = static_cast<std::size_t>(link.written.data() - text.data());
        result += text.substr(copied, begin - copied);
        result += *changed;
        copied = begin + link.written.size();
      },
      TagLinks::yes);
  return result += text.substr(copied);
}

Result<Edit> relink(const Schema& schema, const Relink& how, Note& note) {
  Note changed = note;
  Edit outcome = Edit::unchanged;
  for (const NoteField& field : note.fields()) {
    if (!field.readable) continue;
    const Column* column = schema.find(field.key);
    Value before =
        column == nullptr ? read_untyped(field.node) : read_as(*column, field.node).value;
    Value after = new_field(how, column, before);
    if (after == before) continue;
    Result<Edit> edit = changed.set(field.key, after, {column, {}});
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
