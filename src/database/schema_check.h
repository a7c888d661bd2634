// Schema check: what a schema says of its columns beyond its own text: the database that a relation
// names, what a rollup computes from, the expression of a formula, patterns, defaults and bounds.
//
// The same is asked when a schema is made, when it is altered, and by `check` of a file that
// somebody edited. Nothing is read here; the caller knows the other databases.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/schema.h"
#include "files/file_system.h"
#include "schema/document.h"

namespace notesdb {

struct ColumnProblem {
  std::string column;
  std::string key;           // that says it, as a schema file has it: target, field, pattern, ...
  std::string message;       // with the column's name
  std::uint32_t offset = 0;  // in what the key says, in bytes
};

// Another database: nothing where there is none of this id, and a null pointer where its schema
// cannot be read, of which nothing is said here.
struct OtherSchemas {
  std::function<std::optional<const Schema*>(const std::string& database_id)> find;
  std::shared_ptr<const std::vector<std::string>> ids;  // to name the nearest one
};

// The databases `ids` of a workspace, and `own` under its id, made or not. What it is made of must
// outlive it.
OtherSchemas other_schemas(const FileSystem& files,
                           std::shared_ptr<const std::vector<std::string>> ids,
                           const std::string& own_id,
                           const Schema& own);

// Patterns, defaults, bounds and the expressions of formulas, which need no other database.
std::vector<ColumnProblem> check_values(const Schema& schema);
// Targets of relations, what rollups compute from, and whether they depend on themselves.
std::vector<ColumnProblem> check_relations(const Schema& schema, const OtherSchemas& others);

// The problem where it stands in the schema's file, rule `schema`; the path is the caller's.
Issue to_issue(const ColumnProblem& problem, const SchemaDocument& document);

}  // namespace notesdb
