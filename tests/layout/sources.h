// Sources: the files of this repository as text, for tests that read the house itself.
//
// Build folders, the repository's own bookkeeping and files that are not text are left out. Paths
// are from the root, with '/'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace notesdb::layout {

struct Source {
  std::string path;
  std::string text;

  bool under(std::string_view folder) const;         // "src/"
  bool ends_with(std::string_view extension) const;  // ".h"
  bool is_cpp() const { return ends_with(".cpp") || ends_with(".h"); }
  // The folder below `folder` that it is in: "note" for src/note/note.h; empty if it is in none.
  std::string module_under(std::string_view folder) const;
  std::vector<std::string_view> lines() const;
};

// Every file, sorted by path; read once.
const std::vector<Source>& all_sources();

// path:line, as compilers write it.
std::string place(const Source& source, std::size_t line_index);

bool exists_in_repository(std::string_view path);

}  // namespace notesdb::layout
