// The corpora: real folders of notes that the laws are tried on.
//
// They are too large for the repository. NOTESDB_CORPORA names their folder, else it is looked
// for beside the repository as shared/corpora; fixtures/notes holds the awkward files that are
// always there.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "note/front_matter.h"

namespace notesdb {

struct NoteFile {
  std::string path;
  std::string bytes;
  NoteFormat format = NoteFormat::markdown;
};

// The folder of the corpora; empty, and said so once, where there is none.
std::filesystem::path corpora_folder();

// Every `.md` and `.yaml` file of a folder and below, in the order of their paths.
std::vector<NoteFile> notes_in(const std::filesystem::path& folder);

// The fixtures and, where they are, the corpora.
const std::vector<NoteFile>& real_notes();

}  // namespace notesdb
