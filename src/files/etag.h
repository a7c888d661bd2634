// etag_of: the etag of a file's bytes, XXH3-64 of all of them.
//
// It says whether two readings held the same bytes, and decides no trust: whoever owns both texts
// could make them collide and would fool only himself.
#pragma once

#include <string_view>

#include "core/etag.h"

namespace notesdb {

Etag etag_of(std::string_view bytes);

}  // namespace notesdb
