// Source: the records of a file that is to be imported, before anybody says what they mean.
//
//   csv, tsv   a header, then a record a line; a cell with nothing in it is not there, "" is empty
//   json       a list of objects, or one
//   jsonl      an object a line
//   sqlite     the rows of a table or view
//
// A record knows its line (of a table: the number of its row). What cannot be read is an issue with
// its line; reading continues after it, so that everything is said at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/value.h"

namespace notesdb {

// Whether cells are texts whose meaning is for their column to say, or values already.
enum class CellForm { text, value };

struct SourceRecord {
  std::uint32_t line = 0;
  std::vector<std::optional<Value>> cells;  // by column; an empty optional: not there
};

struct Source {
  std::string path;  // as issues name it
  CellForm form = CellForm::value;
  std::vector<std::string> columns;
  std::vector<std::string> declared_types;  // of an SQLite table, by column; else empty
  std::vector<SourceRecord> records;
  std::vector<Issue> issues;

  void add_issue(std::uint32_t line, std::string_view rule, std::string message);
};

Source read_csv_source(std::string path, std::string_view text, char separator);
Source read_tsv_source(std::string path, std::string_view text);
Source read_json_source(std::string path, std::string_view text);
Source read_json_lines_source(std::string path, std::string_view text);

// `table` may be empty where the file has one only. Fails with io_error for what is no SQLite file
// and for rows that do not end within `longest`, as those of a view may not, and with
// invalid_argument for a table that is not there, naming those that are, and for more than 256 MiB.
Result<Source> read_sqlite_source(const std::string& path,
                                  const std::string& table,
                                  std::chrono::milliseconds longest = std::chrono::seconds(30));

}  // namespace notesdb
