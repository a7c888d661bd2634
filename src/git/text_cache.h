// Text cache: the files of one folder of one commit, remembered under the name of git's tree id.
//
//   $XDG_CACHE_HOME/notesdb/trees/<tree id>     hash of what follows, 8 bytes
//                                               count, then name, size, bytes of each file
//
// What a tree id names never changes, so an entry is never stale; one that is damaged does not
// match its hash and counts as missing. Only what was read last is kept.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace notesdb {

using NamedTexts = std::map<std::string, std::string, std::less<>>;

std::optional<NamedTexts> read_text_cache(const std::string& tree);
// Silently nothing where it cannot be written: a cache is no promise.
void write_text_cache(const std::string& tree, const NamedTexts& texts);

}  // namespace notesdb
