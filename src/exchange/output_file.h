// Output file: a file beside or outside of the workspace that an export makes, wholly or not at
// all.
//
//   auto file = OutputFile::plan("out.csv", Overwrite::no, workspace);
//   auto done = file->write([&](const std::string& path) { ... make the file at `path` ... });
//
// What is made lies hidden beside its name until it is whole and synced; then it takes the name,
// and what was there before is there until then. A path here is one of the machine, from a command
// line, never from a caller of the workspace.
#pragma once

#include <functional>
#include <string>

#include "core/result.h"
#include "database/workspace.h"

namespace notesdb {

enum class Overwrite { no, yes };

class OutputFile {
 public:
  // Fails with already_exists if there is such a file and it should stay, path_not_allowed if the
  // path is no place for one: a row or schema of a database of the workspace, a folder or device.
  static Result<OutputFile> plan(const std::string& path,
                                 Overwrite overwrite,
                                 Workspace& workspace);

  // Makes the file at the path that it is given.
  using Make = std::function<Result<void>(const std::string& path)>;
  Result<void> write(const Make& make) const;
  Result<void> write(std::string_view bytes) const;

 private:
  OutputFile(std::string folder, std::string name, Overwrite overwrite)
      : folder_(std::move(folder)), name_(std::move(name)), overwrite_(overwrite) {}

  Result<void> put(const std::string& made) const;
  std::string path() const { return folder_ + "/" + name_; }

  std::string folder_;
  std::string name_;
  Overwrite overwrite_;
};

}  // namespace notesdb
