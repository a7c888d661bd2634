// Records: what a person wants to see of a result, as a table of cells.
//
// A result's shown member is a list of records or one record. The fields of a row become columns
// of their own; etags and issues, which are for programs, stay out.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"
#include "exchange/sheet.h"

namespace notesdb::cli {

struct Records : Sheet {
  bool is_single = false;  // one record, not a list of them
};

// `shown` is the name of the member.
Records records_of(const Value& result, const std::string& shown);

// The records by themselves. One that stands as a list, in the order of the result's columns, comes
// with their names.
List named_records(const Value& result, const std::string& shown);

// The ids of the records, where they have any.
std::vector<std::string> ids_of(const Value& result, const std::string& shown);

// A cell as one text: lists as a, b; places as db/row (field), other maps as JSON; nothing for
// null. Control characters as they stand.
std::string cell_text(const Value& value);

}  // namespace notesdb::cli
