// Set setting: one setting of a notesdb.yaml changed in its place.
#pragma once

#include <string>

#include "core/result.h"

namespace notesdb {

// The bytes of the file with the setting changed, everything else as it was. Fails with
// invalid_argument where the key or the value is not valid.
Result<std::string> with_setting(std::string file,
                                 const std::string& key,
                                 const std::string& value);

}  // namespace notesdb
