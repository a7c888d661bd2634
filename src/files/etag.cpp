#include "files/etag.h"

#include <xxhash.h>

namespace notesdb {

Etag etag_of(std::string_view bytes) {
  return Etag{XXH3_64bits(bytes.data(), bytes.size())};
}

}  // namespace notesdb
