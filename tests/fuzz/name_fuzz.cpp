// Fuzzing names: a path that passes stays below the root, what may be given to a new file may also
// be read, and folding a name twice changes nothing.
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.h"
#include "files/names.h"
#include "fuzz/claim.h"

using namespace notesdb;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

// Whether a path, followed segment by segment, ever leaves the root.
bool leaves(std::string_view path) {
  if (path.starts_with('/')) return true;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == "..") return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string name(data, data + size);
  if (check_path(name)) {
    require(!leaves(name) && name.find('\0') == std::string::npos);
    require(join_path(folder_of(name), name_in(name)) == name || name == ".");
    require(std::string(stem_of(name)) + std::string(ending_of(name)) == name);
  }
  if (check_new_name(name)) {
    require(check_path(name).ok() && name.find('/') == std::string::npos && is_utf8(name));
    require(name.size() <= longest_new_name && !name.starts_with('-') && !name.starts_with('.'));
  }
  if (is_utf8(name)) require(folded_name(folded_name(name)) == folded_name(name));
  (void)is_dropping(name);
  (void)is_conflict_copy(name);
  return 0;
}
