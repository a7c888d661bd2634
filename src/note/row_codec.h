// Row codec: a note read through a schema, and a caller's fields written into a note.
//
// Pure: the id, the etag, the time stamp and the path of a row come from who read the file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/row.h"
#include "core/schema.h"
#include "note/note.h"

namespace notesdb {

// The row that a note holds: `fields` in the schema's order, `extra` in the file's, the body, and
// an issue (rule `yaml` or `type`) for each value that is broken or does not fit. id, etag and
// modified are left empty, and so is the path of the issues.
Row read_row(const Schema& schema, const Note& note);

// Sets fields, one splice each; null removes. Unknown columns are written like json. Fails as
// Note::set does, and then the note is as it was. Key order as FieldStyle says; empty: the
// schema's.
Result<Edit> write_fields(const Schema& schema,
                          const Map& fields,
                          std::span<const std::string> key_order,
                          Note& note);

// The bytes of a new row: front matter with the fields in the schema's order (undeclared ones
// last, nulls left out), then the body. A yaml file takes no body: invalid_argument.
Result<std::string> new_row(const Schema& schema,
                            const Map& fields,
                            std::string_view body,
                            NoteFormat format = NoteFormat::markdown);

}  // namespace notesdb
