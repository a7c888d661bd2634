// Short errors: an error quotes what the caller gave, which may be a megabyte. What an agent gets
// is cut to what it can read.
#pragma once

#include "core/error.h"

namespace notesdb {

// The same error with a message of at most 16 KiB, of joined errors the first fifty, and no text
// among its facts longer than a KiB. A row that comes with a conflict stays whole.
Error shortened(Error error);

}  // namespace notesdb
