// Clones: a bare repository and clones of it, each a workspace of the real program.
//
//   Clones clones;
//   Clone ann = clones.make("ann");
//   ann.write("tasks/row-001.md", "---\ntitle: One\n---\n");
//   ann.sync();
//
// git reads a configuration of its own, so that a test is the same on every machine.
#pragma once

#include <filesystem>
#include <string>

#include "driving/folder.h"
#include "driving/process.h"

namespace notesdb::sync_test {

using driving::Finished;
using driving::Words;

inline bool says(const Finished& done, const std::string& words) {
  return done.err.find(words) != std::string::npos;
}

class Clone {
 public:
  Clone(std::filesystem::path path, driving::Environment environment)
      : path_(std::move(path)), environment_(std::move(environment)) {}

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& bytes) const {
    driving::write_bytes(path_ / name, bytes);
  }
  std::string read(const std::string& name) const { return driving::read_bytes(path_ / name); }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  void remove(const std::string& name) const { std::filesystem::remove(path_ / name); }

  // What the program says, whatever its end; `folder` is the workspace within the clone.
  Finished run(Words words, const std::string& folder = ".") const;
  // The same of another copy of the program.
  Finished run_copy(const std::string& program, Words words, const std::string& folder) const;
  // The same with standard output going to a file.
  Finished run_into(const std::string& path, Words words) const;
  // What git prints, without the last line end; the test fails where git does.
  std::string git(Words words) const;
  Finished try_git(Words words) const;

  // A sync that must come through.
  void sync(const std::string& folder = ".") const;
  // Everything committed by git itself, without us.
  void commit(const std::string& message) const;
  std::string tree() const { return git({"rev-parse", "HEAD^{tree}"}); }

 private:
  std::filesystem::path path_;
  driving::Environment environment_;
};

class Clones {
 public:
  Clones();

  Clone make(const std::string& name) const;
  // A line of git's configuration for all clones, as `git config --global` takes it.
  void configure(const std::string& name, const std::string& value) const;
  const std::filesystem::path& folder() const { return scratch_.path(); }

 private:
  Finished git(Words words) const;

  driving::ScratchFolder scratch_;
  driving::Environment environment_;
};

}  // namespace notesdb::sync_test
