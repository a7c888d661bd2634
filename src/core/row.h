// Row: one row as an answer gives it: what its file holds, read through the schema.
//
// `fields` has the columns that have a value, in the schema's order (null where the file says
// null); a missing field is left out. `extra` has the keys that the schema does not declare.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/etag.h"
#include "core/value.h"

namespace notesdb {

struct Row {
  std::string id;
  Etag etag;
  Map fields;
  Map extra;
  std::string body;
  std::string modified;  // RFC 3339, UTC
  std::vector<Issue> issues;
};

}  // namespace notesdb
