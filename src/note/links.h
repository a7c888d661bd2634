// Links of a note: those inside its body, and every reference to one row, made to name the row by
// its new id.
//
//   epic: row-012            a relation to the row's database: the id, database/id, a link
//   related: ["[[row-012]]"] a link in any other text of the front matter
//   [[row-012|as told]]      a link in the body
//   [[stories/row-012]]      by the path from the workspace root
//   [t](../stories/row-012.md#top)   or relative to the note's own folder
//
// Only the id inside a reference changes: alias, anchor, quoting and everything else stay. What
// stands in code is not a reference. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/link.h"
#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "note/note.h"

namespace notesdb {

enum class LinkForm { wiki, markdown };

// A link as it stands in a text: `written` is a view into it, brackets and all.
struct BodyLink {
  Link link;
  LinkForm form = LinkForm::wiki;
  std::string_view written;
};

// Calls `visit` for every link of a body, in order: [[row-001]], [[people/ann|Ann]],
// [text](../people/ann.md). What stands in code, fenced or between backticks, is none.
void for_each_link(std::string_view body, const std::function<void(const BodyLink&)>& visit);

struct Relink {
  std::string folder;  // of the note's file, from the workspace root; "." the root
  std::string target;  // the row's database
  std::string old_id;
  std::string new_id;
  std::string tail = {};  // what the path of the row's file adds to its id: "" or "/index"
  bool near = false;      // whether [[old_id]] alone means the row in this note
};

// Fails as Note::set does, and then the note is as it was.
Result<Edit> relink(const Schema& schema, const Relink& how, Note& note);

// What a relation to the target holds, which may be a list.
Value relink_relation(const Relink& how, const Value& value);

// The same for text with links in it.
std::string relink_text(const Relink& how, std::string_view text);

// "tasks" and "../people/./ann" are "people/ann"; a path that begins with '/' counts from the root.
// Empty where it climbs over the root.
std::string resolve_path(std::string_view folder, std::string_view path);

}  // namespace notesdb
