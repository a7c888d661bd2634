// relink_schema: a schema file whose references to one row name the row by its new id.
#pragma once

#include "core/result.h"
#include "core/schema.h"
#include "note/note.h"
#include "note/relink.h"

namespace notesdb {

// Links in the file, and the rows that relations name by their ids in defaults, templates and
// filters of views. Fails as Note::set does, and then the note is as it was.
Result<Edit> relink_schema(const Schema& schema, const Relink& how, Note& note);

}  // namespace notesdb
