// Infer: the schema that a folder of notes has already, read from the notes.
//
//   auto inferred = infer(workspace, "vault/books");
//   inferred->document    what _schema.md would hold
//   inferred->exceptions  vault/books/dune.md:4:7: warning: published is "1965?", where 312 of 313
//                         rows hold a date [infer]
//
// A type holds where at least four values of five have it; the others are exceptions, listed with
// their places, and so is a file that cannot be read. Where nothing holds, a column is text, which
// every value fits. A column is required where every row has it, and a select where few values
// repeat.
//
// Reading only, until write_inferred makes the schema file and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/schema.h"
#include "database/commit.h"
#include "database/workspace.h"
#include "infer/layout.h"

namespace notesdb {

struct Inferred {
  std::string database_id;
  std::int64_t rows = 0;
  Schema schema;
  std::string document;           // the bytes of _schema.md
  std::vector<Issue> exceptions;  // values that do not fit, by path and line; rule `infer`
  // How the folder was read (infer/layout.h).
  std::vector<std::string> why{};
  std::vector<LeftOut> left_out{};
  std::vector<Choice> choices{};
};

// Folders that are no databases yet, with the ids their rows would have: links may point to them.
using PlannedRows = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;
using FolderAnswers = std::map<std::string, ChoiceAnswers, std::less<>>;
Result<PlannedRows> plan_rows(const FileSystem& files,
                              const std::vector<std::string>& folders,
                              const FolderAnswers& answers = {});

// Fails with already_exists if the folder is a database, invalid_argument if it holds no notes.
Result<Inferred> infer(Workspace& workspace,
                       const std::string& folder,
                       const PlannedRows& planned = {},
                       const ChoiceAnswers& answers = {});

// Makes the schema files, in one change.
Result<Receipt> write_inferred(Workspace& workspace, std::span<const Inferred> inferred);

}  // namespace notesdb
