#include <algorithm>
#include <utility>

#include "core/date_format.h"
#include "core/text.h"
#include "note/collection_edit.h"
#include "note/json_front_matter.h"
#include "note/note.h"
#include "toml/writer.h"
#include "yaml/scalar.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

constexpr std::size_t longest_key = 1000;  // YAML takes no key of more than 1024 characters

Error invalid(std::string message) {
  return {ErrorCode::invalid_value, std::move(message)};
}

Value value_of(const Node& node, const Column* column) {
  return column == nullptr ? read_untyped(node) : read_as(*column, node).value;
}

bool is_textual(const Column& column) {
  switch (column.type) {
    case ColumnType::number:
    case ColumnType::checkbox:
    case ColumnType::json:
    case ColumnType::rollup:
    case ColumnType::formula:
    case ColumnType::unknown: return false;
    default: return true;
  }
}

// A number or boolean as the text that a text column takes it for; lists item by item.
Value suited_to(const Column* column, const Value& value) {
  if (column == nullptr || !is_textual(*column)) return value;
  if (value.is_list() && column->holds_list()) {
    List list;
    for (const Value& item : value.list())
      list.push_back(item.is_scalar() ? suited_to(column, item) : item);
    return list;
  }
  if (value.is_text() && !column->formats.empty()) {
    const auto moment = parse_given_date(*column, value.text());
    return moment ? Value(format_moment(*moment)) : value;
  }
  if (!value.is_number() && !value.is_boolean()) return value;
  return Value(write_scalar(value, nullptr, NodeStyle::plain, ScalarPlace::block));
}

std::string_view without_last_newline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// The place in `order` of a key, or its size.
std::size_t place_of(std::span<const std::string> order, std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(order, key) - order.begin());
}

}  // namespace

std::string_view Note::line_ending_at(std::size_t position) const {
  std::size_t newline = bytes_.find('\n', position);
  if (newline == std::string::npos) newline = bytes_.rfind('\n');
  bool crlf = newline != std::string::npos && newline > 0 && bytes_[newline - 1] == '\r';
  return crlf ? "\r\n" : "\n";
}

// The style of the field itself, then of the lists around it.
Layout Note::layout_of(const NoteField* field, Care care) const {
  Layout layout;
  layout.line_ending = line_ending_at(field != nullptr ? field->key_end : 0);
  auto block_of = [this](const NoteField& f) {
    return std::string_view(bytes_).substr(f.block.begin, f.block.end - f.block.begin);
  };
  auto is_list = [](const NoteField& f) {
    return f.readable && f.node.is_list() && !f.node.items.empty();
  };
  auto take_list_style = [&](const NoteField& f) {
    layout.flow = f.node.style == NodeStyle::flow;
    if (auto indent = list_indent_of(block_of(f))) layout.list_indent = *indent;
  };
  if (field != nullptr && !field->readable && field->block.empty() && !field->value.empty() &&
      bytes_[field->value.begin] == '[') {
    layout.flow = true;  // what is broken between brackets is fixed between brackets
  } else if (auto found = std::ranges::find_if(fields_, is_list); found != fields_.end()) {
    take_list_style(*found);
  } else if (field != nullptr && field->readable && field->node.is_list()) {
    layout.flow = field->node.style == NodeStyle::flow;  // `[]`, where no other list tells more
  }
  if (field == nullptr || !field->readable || care == Care::utmost) return layout;
  const Node& node = field->node;
  if (node.is_scalar()) layout.style = node.style;
  if (is_list(*field)) {
    take_list_style(*field);
    if (node.items.front().is_scalar()) layout.style = node.items.front().style;
  }
  if (node.is_map() && !node.members.empty()) layout.flow = node.style == NodeStyle::flow;
  if (node.is_map() || node.is_scalar()) {
    std::size_t indent = block_of(*field).find_first_not_of(" \r\n");
    if (indent != std::string_view::npos) {
      std::string_view block = block_of(*field);
      std::size_t line = block.rfind('\n', indent);
      layout.map_indent =
          std::max<std::size_t>(indent - (line == std::string_view::npos ? 0 : line + 1), 1);
    }
  }
  return layout;
}

WrittenValue Note::written_value(const NoteField& field,
                                 const Value& value,
                                 const FieldStyle& style,
                                 Care care) const {
  Layout layout = layout_of(&field, care);
  if (style.one_line) layout.flow = true;
  std::string_view all = bytes_;
  std::string_view text = all.substr(field.value.begin, field.value.end - field.value.begin);
  std::string_view block = all.substr(field.block.begin, field.block.end - field.block.begin);
  if (field.readable && field.node.is_list() && value.is_list() && care == Care::usual) {
    const List before = value_of(field.node, style.column).is_list()
                            ? value_of(field.node, style.column).list()
                            : List{};
    if (field.node.style == NodeStyle::flow) {
      auto edited = edit_flow_list(text, before, value.list(), style.column, layout.style);
      if (edited) return {std::move(*edited), ""};
    } else {
      auto edited = edit_block_list(block, before, value.list(), style.column, layout);
      if (edited) return {"", std::move(*edited)};
    }
  }
  if (field.readable && field.node.is_map() && value.is_map() && care == Care::usual) {
    if (field.node.style == NodeStyle::flow) {
      const Value before = value_of(field.node, style.column);
      auto edited = edit_flow_map(text, before.map(), value.map(), style.column, NodeStyle::plain);
      if (edited) return {std::move(*edited), ""};
    } else if (auto edited = edit_block_map(block, value.map(), style.column)) {
      return {"", std::move(*edited)};
    }
  }
  return write_value(value, style.column, layout);
}

Note::Splices Note::plan_value(const NoteField& field,
                               const Value& value,
                               const FieldStyle& style,
                               Care care) const {
  WrittenValue written = written_value(field, value, style, care);
  Splices splices;
  std::size_t line_end = std::min(bytes_.find_first_of("\r\n", field.value.end), bytes_.size());
  std::string_view rest =
      std::string_view(bytes_).substr(field.value.end, line_end - field.value.end);
  bool rest_is_blank = rest.find_first_not_of(" \t") == std::string_view::npos;
  if (field.value.empty()) {
    bool same = written.inline_text.empty();
    Span span{field.key_end, rest_is_blank ? line_end : field.key_end};
    if (!same) splices.push_back({span, ' ' + written.inline_text});
  } else if (written.inline_text.empty()) {
    splices.push_back({{field.key_end, rest_is_blank ? line_end : field.value.end}, ""});
  } else {
    // The value of a broken field may begin right after the colon only where it is empty.
    splices.push_back({field.value, written.inline_text});
  }
  if (!field.block.empty() || !written.block.empty()) {
    bool on_new_line = field.block.begin > 0 && bytes_[field.block.begin - 1] == '\n';
    if (!on_new_line) {
      written.block = std::string(line_ending_at(field.key_end)) +
                      std::string(without_last_newline(written.block));
    }
    splices.push_back({field.block, std::move(written.block)});
  }
  return splices;
}

// A field between conflict markers: its line in place of all of them.
Note::Splices Note::plan_settled(const NoteField& field,
                                 const Value& value,
                                 const FieldStyle& style) const {
  Layout layout = layout_of(nullptr, Care::usual);
  layout.line_ending = line_ending_at(field.lines.begin);
  WrittenValue written = write_value(value, style.column, layout);
  std::string text = write_text(field.key, NodeStyle::plain, ScalarPlace::key) + ':';
  if (!written.inline_text.empty()) text += ' ' + written.inline_text;
  return {{field.lines, text + std::string(layout.line_ending) + written.block}};
}

// A file without front matter gets one; its body stays what it was.
Note::Splices Note::plan_front_matter(const std::string& fields) const {
  std::string_view eol = line_ending_at(0);
  std::string fence = "---" + std::string(eol);
  std::string separator = body().empty() ? "" : std::string(eol);
  return {{{front_.begin, front_.begin}, fence + fields + fence + separator}};
}

// Where the neighbours of a new key have it, else after the last field.
std::size_t Note::position_of_new(std::string_view key,
                                  std::span<const std::string> key_order) const {
  std::size_t place = place_of(key_order, key);
  const NoteField* behind = nullptr;  // the last neighbour that comes before the key
  const NoteField* before = nullptr;  // the first that comes after it
  const NoteField* last = nullptr;
  for (const NoteField& field : fields_) {
    if (field.fixed) continue;
    last = &field;
    std::size_t other = place_of(key_order, field.key);
    if (place == key_order.size()) continue;
    if (other < place) behind = &field;
    if (other > place && other < key_order.size() && before == nullptr) before = &field;
  }
  if (behind == nullptr && before == nullptr) behind = last;
  if (behind != nullptr) return behind->lines.end;
  if (before != nullptr) return before->lines.begin;
  // Above all tables of a TOML front matter.
  return fields_.empty() ? front_.end : front_.begin;
}

Note::Splices Note::plan_new_field(std::string_view key,
                                   const Value& value,
                                   const FieldStyle& style) const {
  std::size_t at = position_of_new(key, style.key_order);
  Layout layout = layout_of(nullptr, Care::usual);
  layout.line_ending = line_ending_at(at > front_.begin ? at - 1 : 0);
  WrittenValue written = write_value(value, style.column, layout);
  std::string text = write_text(key, NodeStyle::plain, ScalarPlace::key) + ':';
  if (!written.inline_text.empty()) text += ' ' + written.inline_text;
  text += std::string(layout.line_ending) + written.block;
  if (front_.kind == FrontMatterKind::none) return plan_front_matter(text);
  bool on_new_line = at == front_.begin || bytes_[at - 1] == '\n';
  if (!on_new_line) {
    text = std::string(layout.line_ending) + std::string(without_last_newline(text));
  }
  return {{{at, at}, std::move(text)}};
}

// All fields of this key but the first `keep`.
Note::Splices Note::plan_lines_removed(std::string_view key, std::size_t keep) const {
  Splices splices;
  for (const NoteField& field : fields_) {
    if (field.key != key) continue;
    if (keep > 0) {
      --keep;
      continue;
    }
    splices.push_back({field.lines, ""});
  }
  return splices;
}

bool Note::keeps_others(const Note& after, std::string_view key) const {
  auto others = [key](const Note& note) {
    std::vector<const NoteField*> fields;
    for (const NoteField& field : note.fields_)
      if (field.key != key) fields.push_back(&field);
    return fields;
  };
  auto same = [&](const NoteField* a, const NoteField* b) {
    if (a->key != b->key || a->readable != b->readable) return false;
    if (a->readable) return same_content(a->node, b->node);
    // After the key, which may have been renamed.
    auto own = [](const Note& note, const NoteField& field) {
      std::size_t begin = field.in_conflict ? field.lines.begin : field.key_end;
      return without_last_newline(
          std::string_view(note.bytes_).substr(begin, field.lines.end - begin));
    };
    return own(*this, *a) == own(after, *b);
  };
  return std::ranges::equal(others(*this), others(after), same) && body() == after.body();
}

Result<Note> Note::spliced(Splices splices, std::string_view key) const {
  std::ranges::stable_sort(splices, {}, [](const Splice& splice) { return splice.span.begin; });
  std::string bytes;
  std::size_t at = 0;
  for (const Splice& splice : splices) {
    bytes.append(bytes_, at, splice.span.begin - at);
    bytes += splice.bytes;
    at = splice.span.end;
  }
  bytes.append(bytes_, at);
  bool ended = bytes_.empty() || bytes_.ends_with('\n');
  if (format_ == NoteFormat::yaml && !ended) bytes.resize(without_last_newline(bytes).size());
  Result<Note> after = parse(std::move(bytes), format_);
  if (!after) return std::move(after).error();
  if (!keeps_others(*after, key)) {
    return Error{ErrorCode::internal,
                 "the edit would have changed another field; nothing was done"};
  }
  return after;
}

Result<Edit> Note::set(std::string_view key, const Value& wanted, const FieldStyle& style) {
  if (key.empty() || !is_utf8(key) || key.size() > longest_key) {
    return invalid("a key is 1 to 1000 bytes of UTF-8");
  }
  Value value = suited_to(style.column, wanted);
  if (!is_writable(value)) {
    return invalid("'" + std::string(key) + "' takes UTF-8 text, nested up to 31 levels");
  }
  const NoteField* field = find_field(key);
  if (field != nullptr && field->readable &&
      reads_back(value, value_of(field->node, style.column))) {
    return Edit::unchanged;
  }
  if (auto refused = refusal()) return std::move(*refused);
  if (auto refused = refusal(field)) return std::move(*refused);
  const bool is_toml = front_.kind == FrontMatterKind::toml;
  const bool is_json = front_.kind == FrontMatterKind::json;
  for (Care care : {Care::usual, Care::utmost}) {
    std::optional<Splices> toml;
    if (is_toml) toml = plan_toml(field, key, value, style);
    if (is_toml && !toml) break;
    Splices splices = is_toml              ? std::move(*toml)
                      : is_json            ? plan_json(key, &value, style.column)
                      : field == nullptr   ? plan_new_field(key, value, style)
                      : field->in_conflict ? plan_settled(*field, value, style)
                                           : plan_value(*field, value, style, care);
    for (Splice& splice : plan_lines_removed(key, 1))
      splices.push_back(std::move(splice));
    Result<Note> after = spliced(std::move(splices), key);
    if (!after) continue;
    const Node* node = after->find(key);
    if (node == nullptr || !reads_back(value, value_of(*node, style.column))) continue;
    if (after->issues_.size() > issues_.size()) continue;
    *this = std::move(*after);
    return Edit::changed;
  }
  return invalid("the value of '" + std::string(key) + "' cannot be written so that it reads back");
}

Result<Edit> Note::remove(std::string_view key) {
  if (find_field(key) == nullptr) return Edit::unchanged;
  if (auto refused = refusal()) return std::move(*refused);
  if (auto refused = refusal(find_field(key))) return std::move(*refused);
  const bool is_json = front_.kind == FrontMatterKind::json;
  Result<Note> after =
      spliced(is_json ? plan_json(key, nullptr, nullptr) : plan_lines_removed(key, 0), key);
  if (!after) return std::move(after).error();
  *this = std::move(*after);
  return Edit::changed;
}

std::string Note::written_key(std::string_view key) const {
  switch (front_.kind) {
    case FrontMatterKind::toml: return write_toml_key(key);
    case FrontMatterKind::json: return quoted_string(key);
    default: return write_text(key, NodeStyle::plain, ScalarPlace::key);
  }
}

Result<Edit> Note::rename_key(std::string_view key, std::string_view new_key) {
  const NoteField* field = find_field(key);
  if (auto refused = refusal(field)) return std::move(*refused);
  if (field == nullptr || key == new_key) return Edit::unchanged;
  if (auto refused = refusal()) return std::move(*refused);
  if (find_field(new_key) != nullptr) {
    return Error{ErrorCode::already_exists,
                 "the key '" + std::string(new_key) + "' is there already"};
  }
  if (new_key.empty() || !is_utf8(new_key) || new_key.size() > longest_key) {
    return invalid("a key is 1 to 1000 bytes of UTF-8");
  }
  const std::string text = written_key(new_key);
  Note renamed = *this;
  Splices splices;
  for (NoteField& each : renamed.fields_) {
    if (each.key != key) continue;
    if (each.in_conflict) {
      return Error{ErrorCode::malformed_file,
                   "'" + std::string(key) + "' is between conflict markers; resolve it first"};
    }
    each.key = new_key;
    // The spaces around the key stay.
    std::string_view line = bytes_;
    line = line.substr(each.lines.begin, each.key_end - 1 - each.lines.begin);
    std::size_t begin = each.lines.begin + line.find_first_not_of(" \t");
    std::size_t end = each.lines.begin + line.find_last_not_of(" \t") + 1;
    splices.push_back({{begin, end}, text});
  }
  Result<Note> after = renamed.spliced(std::move(splices), "");
  if (!after) return std::move(after).error();
  *this = std::move(*after);
  return Edit::changed;
}

}  // namespace notesdb
