// Row merge: three versions of a file of a workspace made one, as git's merge driver is asked to.
//
// A row is merged field by field, as its columns say (`merge: max`); a schema by column id, option,
// view and template, and its next_row_id is the greater. What is not a row and no schema, cannot be
// read, or is larger than any row, is left to git's own merge by lines, with the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "merge/merge.h"

namespace notesdb {

// Merges a row or a schema by its path. Fails with malformed_file where git's own merge is wanted.
Result<MergedNote> merge_file_texts(std::string_view path,
                                    const ThreeTexts& texts,
                                    const Schema& schema,
                                    const ConflictLabels& labels);

// What git's own merge by lines makes of them, markers in it where they meet. In `folder` lie the
// texts meanwhile, as files.
Result<std::string> merge_texts_by_lines(const ThreeTexts& texts, const std::string& folder);

bool is_schema_path(std::string_view path);

// The merge driver itself: the three are names of files, the outcome replaces `ours`, and `path` is
// the file's name in the repository, whose top is the current folder.
struct MergeFiles {
  std::string base;
  std::string ours;
  std::string theirs;
  std::string path;
};

struct MergeOutcome {
  bool clean = false;
  std::vector<std::string> fields;  // in conflict
  std::string by_lines;             // why git's own merge did it; empty: merged by field
};

// Fails with io_error where a file cannot be read or written: then nothing was changed.
Result<MergeOutcome> merge_files(const MergeFiles& files);

}  // namespace notesdb
