// The bearer token that a file holds.
#pragma once

#include <string>

#include "core/result.h"

namespace notesdb::http {

// Its first line, without white space around it. Fails if the file cannot be read, others than its
// owner can read it, or the token has fewer than 16 characters or one that a header cannot hold.
Result<std::string> read_token_file(const std::string& path);

}  // namespace notesdb::http
