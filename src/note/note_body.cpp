#include <utility>

#include "note/note.h"

namespace notesdb {

Result<Edit> Note::replace_body(std::string body) {
  if (format_ == NoteFormat::yaml) {
    return Error{ErrorCode::invalid_argument, "a .yaml row has no body; only .md rows have one"};
  }
  if (body == this->body()) return Edit::unchanged;
  if (front_.kind == FrontMatterKind::foreign) return *refusal();
  std::string eol(line_ending_at(0));
  std::string head = bytes_.substr(0, front_.body_begin);
  // One blank line sets a first body off; before a body that begins with one it must be there.
  bool blank_first = body.starts_with('\n') || body.starts_with("\r\n");
  bool sets_off = blank_first || (this->body().empty() && !body.empty());
  if (front_.kind != FrontMatterKind::none && !body.empty()) {
    if (!head.ends_with('\n')) head += eol;
    if (!front_.has_separator && sets_off) head += eol;
  }
  Result<Note> after = parse(head + body, format_);
  bool kept = after && after->front_.kind == front_.kind && after->body() == body;
  // What looks like a fence or a mark at the top of a file gets a front matter before it.
  if (!kept && front_.kind == FrontMatterKind::none) {
    after = parse(head + "---" + eol + "---" + eol + eol + body, format_);
  }
  if (!after) return std::move(after).error();
  if (after->body() != body)
    return Error{ErrorCode::invalid_value, "the body cannot be written so that it reads back"};
  *this = std::move(*after);
  return Edit::changed;
}

Result<Edit> Note::set_body(std::string_view body) {
  return replace_body(std::string(body));
}

Result<Edit> Note::append_body(std::string_view text) {
  if (text.empty()) return Edit::unchanged;
  std::string_view eol = line_ending_at(0);
  std::string whole(body());
  if (!whole.empty() && !whole.ends_with('\n')) whole += eol;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool bare = text[i] == '\n' && (i == 0 || text[i - 1] != '\r');
    if (bare) {
      whole += eol;
    } else {
      whole += text[i];
    }
  }
  return replace_body(std::move(whole));
}

}  // namespace notesdb
