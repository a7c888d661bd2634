// Links of a note: those in its body and its fields, and every reference to one row, made to name
// the row by its new id.
//
//   epic: row-012            a relation to the row's database: the id, database/id, a link
//   related: ["[[row-012]]"] a link in any other text of the front matter
//   [[row-012|as told]]      a link in the body (note/body_text.h)
//
// Only the path inside a link changes, and its text where that was the old name: heading, quoting
// and everything else stay. What stands in code is not a reference. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/link.h"
#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "note/body_text.h"
#include "note/note.h"

namespace notesdb {

// Calls `visit` for every link of a body, in order; for tags too where they may be links.
enum class TagLinks { no, yes };
void for_each_link(std::string_view body,
                   const std::function<void(const BodyLink&)>& visit,
                   TagLinks tags = TagLinks::no);

// Calls `visit` for every link that a property is from end to end, or an item of its list:
// up: "[[Note]]". Also for [[Note]] without quotes, which YAML reads as a list in a list.
struct FieldLink {
  std::string key;
  std::string text;  // the whole link
  bool is_quoted = true;
};
void for_each_field_link(const Note& note, const std::function<void(const FieldLink&)>& visit);

// Whether a file is a canvas of Obsidian: cards of files and texts, as JSON.
bool is_canvas(std::string_view path);
// Calls `visit` for every link of a canvas: the files of its cards, as paths from the root ("/a.md"),
// and the links in its texts.
void for_each_canvas_link(std::string_view bytes,
                          const std::function<void(const BodyLink&)>& visit);
// The canvas with its links rewritten, every other byte kept; as it is where no link changes. A card
// cannot name a path that `rewrite` makes a markdown link of, and keeps its own.
std::string relink_canvas(
    std::string_view bytes,
    const std::function<std::optional<std::string>(const BodyLink&)>& rewrite);

// The link with another path, spelled as the old one was, and another text where one is given.
std::string with_path(const BodyLink& link,
                      std::string_view path,
                      const std::optional<std::string>& text = {});

// What a link becomes, brackets and all; none: it stays. `target` is the database that a relation
// leads to, empty for every other link.
using LinkRewrite =
    std::function<std::optional<std::string>(const BodyLink& link, std::string_view target)>;

struct Relink {
  std::string target;  // the row's database
  std::string old_id;
  std::string new_id;
  LinkRewrite rewrite;
};

// By the ids alone, where nobody knows the other files: [[id]] in a note of the same database,
// [[database/id]], and the path from the note's folder ("." is the root).
LinkRewrite rewrite_by_id(std::string folder, const Relink& how, bool is_same_database);

// Fails as Note::set does, and then the note is as it was.
Result<Edit> relink(const Schema& schema, const Relink& how, Note& note);

// What a relation to the row's database holds, which may be a list.
Value relink_relation(const Relink& how, const Value& value);

// The same for text with links in it.
std::string relink_text(const Relink& how, std::string_view text);

}  // namespace notesdb
