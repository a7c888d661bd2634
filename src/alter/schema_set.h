// What changes of one database mean for the schema files of all.
//
// A renamed column is renamed wherever a view, a sort, a filter, a template or a rollup names it:
// in its own schema, and in those that reach it through a relation (`assignee.name`). Changes are
// made one after the other; nothing is written here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alter/schema_change.h"
#include "database/workspace.h"
#include "index/database_folder.h"
#include "schema/edit.h"

namespace notesdb {

class SchemaSet {
 public:
  // The schemas of all databases that have a readable one. Fails with unknown_database.
  static Result<SchemaSet> read(Workspace& workspace, const std::string& database_id);

  // Makes one change. Fails with unknown_field, already_exists, invalid_argument or invalid_value,
  // naming what is wrong; then the set is of no more use.
  Result<void> apply(const SchemaChange& change);

  // What is wrong with the schemas now that was not wrong before any change.
  std::vector<Error> new_problems() const;

  const DatabaseFolder& folder() const { return *schemas_.at(id_).folder; }
  const Schema& schema() const { return schemas_.at(id_).document.schema; }
  const std::string& bytes() const { return schemas_.at(id_).document.note.bytes(); }

  struct Altered {
    std::string path;
    Etag etag;
    std::string before;
    std::string after;
  };
  std::vector<Altered> altered() const;
  // What went without a replacement.
  const std::vector<std::string>& losses() const { return losses_; }

 private:
  struct One {
    std::shared_ptr<const DatabaseFolder> folder;
    SchemaDocument document;
  };

  Result<void> apply_to_columns(const SchemaChange& change, SchemaEdit& edit) const;
  Result<void> rename_or_drop(const SchemaChange& change);
  Result<void> change_option(const SchemaChange& change);
  Result<void> change_view(const SchemaChange& change);
  Result<void> take(One& one, const SchemaEdit& edit);
  // Edits the schema of each database. Names are looked up in the schemas as they were, so all are
  // taken last.
  using EditOne = std::function<Result<void>(const std::string& database, SchemaEdit& edit)>;
  Result<void> edit_each(const EditOne& edit_one);
  Result<void> check(const SchemaChange& change) const;
  Result<void> check_type(const SchemaChange& change) const;
  Result<void> check_option(const SchemaChange& change) const;
  Result<void> check_view(const SchemaChange& change) const;
  // Whether a rollup of a database computes from the column that is changed.
  bool uses(const std::string& database,
            const Schema& schema,
            const Rollup& rollup,
            const SchemaChange& change) const;
  Result<void> check_unused(const SchemaChange& change) const;
  Result<std::size_t> place_of(const SchemaChange& change) const;
  Map keys_of_new_type(const SchemaChange& change) const;
  Value new_options(const SchemaChange& change, const SchemaEdit& edit) const;
  std::optional<std::string> new_name(const std::string& database,
                                      const std::string& name,
                                      const SchemaChange& change) const;
  bool leads_to(const std::string& database,
                const std::string& name,
                const std::string& column) const;
  const Schema* schema_of(const std::string& database) const;

  std::string id_;
  std::map<std::string, One> schemas_;
  std::vector<std::string> losses_;
};

}  // namespace notesdb
