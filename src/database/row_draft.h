// RowDraft: the fields and body of a new row: defaults, then the template, then what was given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "core/schema.h"
#include "database/row_id.h"
#include "database/validate.h"

namespace notesdb {

// Auto dates: the columns that writes set by themselves, `auto: created` and `auto: updated`.

enum class AutoWrite { insert, update };

// What this write sets, at `now`: a new row's columns all, a changed row's the `updated` ones.
Map auto_fields(const Schema& schema, Timestamp now, AutoWrite write);

// `now` as a date or datetime column holds it, to the second.
Value moment_for(const Column& column, Timestamp now);

struct NewRow {
  Map fields{};
  std::optional<std::string> body{};
  std::string row_id{};        // empty: made as the schema's row_id says
  std::string template_key{};  // empty: none
  Map variables{};             // for the {{names}} of the template, beside {{date}} and {{title}}
};

struct RowDraft {
  JudgedFields judged;  // a required column that nobody filled is a violation
  std::string body;
  std::vector<std::string> warnings;  // variables of the template that nobody gave
};

// Relations are not judged yet. Fails with invalid_argument for an unknown template, and for a
// variable that it does not have.
Result<RowDraft> draft_row(const Schema& schema, const NewRow& row, Timestamp now);

// A body that a caller sets, ended as a text file is: as its other lines end, else as those of the
// note do.
std::string with_last_newline(std::string text, std::string_view note);

// What the id of a new row is made of, where the schema makes ids of a text.
IdSource id_source(const Schema& schema, const Map& fields);

}  // namespace notesdb
