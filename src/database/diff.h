// Unified diff: what a change would do to a file, as `diff -u` shows it.
//
//   --- a/stories/row-001.md
//   +++ b/stories/row-001.md
//   @@ -1,4 +1,4 @@
//    ---
//   -status: open
//   +status: done
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

// A file that is not there is an empty optional: then the name beside it is /dev/null. Two equal
// texts have an empty diff.
std::string unified_diff(std::string_view path,
                         const std::optional<std::string_view>& before,
                         const std::optional<std::string_view>& after);

}  // namespace notesdb
