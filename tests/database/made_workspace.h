// A workspace in a temporary folder, for tests of the modules from index/ upwards.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>

#include "database/workspace.h"
#include "database/write_rows.h"
#include "files/temporary_folder.h"

namespace notesdb {

inline constexpr std::string_view task_schema = R"(---
name: Tasks
# columns are what a task has
columns:
  - {id: title, type: text, required: true}
  - {id: status, type: select, options: [open, doing, done]}
  - {id: estimate, type: number, min: 0, max: 100}
  - {id: due, type: date}
  - {id: tags, type: multi-select, options: [a, b, "c, d"]}
  - {id: code, type: text, unique: true, pattern: "^[A-Z]+$"}
  - {id: parent, type: relation, target: tasks}
next_row_id: 1
---
Notes for people.
)";

// The rows of one database changed by calls that look like what they do.
struct RowWriter {
  Workspace& workspace;
  std::string id;

  Result<Row> get(std::string_view row_id) const {
    const auto database = workspace.get(id);
    if (!database) return database.error();
    return (*database)->get(row_id);
  }
  Result<WriteAnswer> insert(NewRow row, WriteMode mode = WriteMode::write) const {
    return insert_row(workspace, id, std::move(row), mode);
  }
  Result<WriteAnswer> update(RowChange change, WriteMode mode = WriteMode::write) const {
    return update_row(workspace, id, std::move(change), mode);
  }
  Result<WriteAnswer> remove(std::string_view row_id,
                             std::optional<Etag> etag,
                             WriteMode mode = WriteMode::write) const {
    return remove_row(workspace, id, row_id, etag, mode);
  }
};

class MadeWorkspace {
 public:
  explicit MadeWorkspace(bool remember = true) { settings_.cache.value = remember; }

  std::filesystem::path root() const { return folder_.path(); }
  void write(const std::string& path, std::string_view bytes) const {
    const auto full = root() / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << bytes;
  }
  std::string read(const std::string& path) const {
    std::ifstream stream(root() / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // Every file but those of .notesdb, with its bytes.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root())) {
      const std::string path = std::filesystem::relative(entry.path(), root()).string();
      if (!path.starts_with(".notesdb") && entry.is_regular_file()) all[path] = read(path);
    }
    return all;
  }
  bool has_trace() const { return std::filesystem::exists(root() / ".notesdb"); }

  // The same workspace for as long as this lives.
  Workspace& open() {
    if (!workspace_) workspace_ = open_anew();
    return *workspace_;
  }
  // Another one, that remembers nothing.
  std::unique_ptr<Workspace> open_anew() const {
    Settings settings = settings_;
    settings.root.value = root().string();
    auto opened = Workspace::open(settings);
    REQUIRE(opened);
    return std::move(*opened);
  }
  Database& database(std::string_view id) {
    auto found = open().get(id);
    REQUIRE(found);
    return **found;
  }
  RowWriter writer(std::string_view id) { return {open(), std::string(id)}; }
  Settings& settings() { return settings_; }

 private:
  TemporaryFolder folder_;
  Settings settings_;
  std::unique_ptr<Workspace> workspace_;
};

inline Value triple(std::string_view field, std::string_view operation, Value value) {
  return Map{{"field", field}, {"operator", operation}, {"value", std::move(value)}};
}

}  // namespace notesdb
