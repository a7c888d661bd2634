#include "note/corpora.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace notesdb {

namespace fs = std::filesystem;

fs::path corpora_folder() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the tests run on one thread.
  const char* given = std::getenv("NOTESDB_CORPORA");
  fs::path source(NOTESDB_SOURCE_DIR);
  for (fs::path folder : {fs::path(given != nullptr ? given : ""),
                          source / "../shared/corpora",
                          source / "../../shared/corpora"}) {
    if (!folder.empty() && fs::is_directory(folder)) return folder;
  }
  static const bool said = [] {
    std::cerr << "NOTE: no corpora (set NOTESDB_CORPORA); the laws are tried on fixtures/notes "
                 "alone\n";
    return true;
  }();
  return said ? fs::path() : fs::path();
}

std::vector<NoteFile> notes_in(const fs::path& folder) {
  std::vector<NoteFile> files;
  if (folder.empty()) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string extension = entry.path().extension().string();
    bool note = extension == ".md" || extension == ".yaml" || extension == ".yml";
    if (!note || !entry.is_regular_file()) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string path = entry.path().string();
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    NoteFormat format = note_format_of(path);
    files.push_back({std::move(path), std::move(bytes), format});
  }
  std::ranges::sort(files, {}, &NoteFile::path);
  return files;
}

const std::vector<NoteFile>& real_notes() {
  static const std::vector<NoteFile> notes = [] {
    std::vector<NoteFile> all = notes_in(fs::path(NOTESDB_SOURCE_DIR) / "fixtures/notes");
    for (NoteFile& file : notes_in(corpora_folder()))
      all.push_back(std::move(file));
    return all;
  }();
  return notes;
}

}  // namespace notesdb
