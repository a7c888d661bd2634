// Workspace: a scratch folder that the program is pointed at, with a cache of its own.
#pragma once

#include <filesystem>
#include <string>

#include "driving/folder.h"
#include "driving/process.h"

namespace notesdb::driving {

class Workspace {
 public:
  Workspace() { std::filesystem::create_directories(root()); }

  std::filesystem::path root() const { return scratch_.path() / "workspace"; }
  Words flags() const { return {"--root", root().string()}; }
  Environment environment() const {
    return {{"XDG_CACHE_HOME", (scratch_.path() / "cache").string()},
            {"XDG_STATE_HOME", (scratch_.path() / "state").string()},
            {"TZ", "UTC"}};
  }
  void write(const std::string& path, const std::string& bytes) const {
    write_bytes(root() / path, bytes);
  }

 private:
  ScratchFolder scratch_;
};

}  // namespace notesdb::driving
