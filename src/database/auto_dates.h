// Auto dates: the columns that writes set by themselves, `auto: created` and `auto: updated`.
#pragma once

#include "core/date.h"
#include "core/schema.h"

namespace notesdb {

enum class AutoWrite { insert, update };

// What this write sets, at `now`: a new row's columns all, a changed row's the `updated` ones.
Map auto_fields(const Schema& schema, Timestamp now, AutoWrite write);

// `now` as a date or datetime column holds it, to the second.
Value moment_for(const Column& column, Timestamp now);

}  // namespace notesdb
