// Short errors: an error quotes what the caller gave, which may be a megabyte, and lists what would
// be right, which may be a hundred columns. What a caller gets is cut to what it can read.
#pragma once

#include "core/error.h"
#include "core/value.h"

namespace notesdb {

// The same error in at most 600 bytes of JSON: a long message is cut, and of many choices the first
// are left. Of joined errors the first fifty are left, each with facts of at most 100 bytes; a row
// that comes with a conflict stays whole.
Error shortened(Error error);

// What an error looks like in an answer: {code, message, data?}. Of joined errors the message has
// the sentences and `errors` the facts of each, so that nothing is said twice.
Value to_value(const Error& error);

}  // namespace notesdb
