// What a file has besides its bytes, and what of it a new file in its place must have too.
#pragma once

#include <string>
#include <vector>

#include <sys/stat.h>

namespace notesdb {

// Gives `to` the mode, owner, group, user attributes and access list of `from`. What the system
// refuses is left, and said in `notes`.
void carry_attributes(int from, int to, std::vector<std::string>& notes);
// The same for a caller that has looked at both files, and left `to` as it was then.
void carry_attributes(int from,
                      const struct stat& old,
                      int to,
                      const struct stat& fresh,
                      std::vector<std::string>& notes);

// Gives a new file the group that its folder hands down (setgid folders), where that applies.
void inherit_group(int folder, int file);

}  // namespace notesdb
