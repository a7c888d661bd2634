// Row files: stat and read the files of many rows at once, wherever below a database they lie.
//
// files/ wants the bare names of one folder; rows may lie in many. Names are paths relative to the
// database that end in NUL.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "files/file_system.h"

namespace notesdb {

// out[i] belongs to paths[i]; a folder that is gone makes its files missing.
Result<void> stat_row_files(const FileSystem& files,
                            std::string_view database,
                            std::span<const char* const> paths,
                            std::span<FileStat> out);

// `take` as of FileSystem::read_all, with indexes into `paths`.
Result<void> read_row_files(const FileSystem& files,
                            std::string_view database,
                            std::span<const char* const> paths,
                            const std::function<void(const FileView&)>& take);

}  // namespace notesdb
