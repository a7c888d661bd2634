// Sheet: rows and columns of values, on their way out to a file of another program, as text in a
// function for each form.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"

namespace notesdb {

struct Sheet {
  std::vector<std::string> columns;
  // A cell for each column; null where a row has no such value.
  std::vector<std::vector<Value>> rows;
};

// Whether cells that a spreadsheet would run get a ' in front, so that it shows them.
enum class Formulas { as_they_are, defused };

struct CsvForm {
  char separator = ',';
  Formulas formulas = Formulas::as_they_are;
};

// RFC 4180, CRLF. What is missing is nothing; an empty text is "".
std::string write_csv(const Sheet& sheet, const CsvForm& form = {});
// Tabs between cells, LF; tab, line break and backslash inside of one as \t \n \r \\.
std::string write_tsv(const Sheet& sheet, Formulas formulas = Formulas::as_they_are);
// A table as GitHub draws it.
std::string write_markdown(const Sheet& sheet);

// A list of maps, one a line.
std::string write_json(const Sheet& sheet);
// A map a line.
std::string write_json_lines(const Sheet& sheet);
// A list of maps, in block style.
std::string write_yaml(const Sheet& sheet);

// A value as one YAML document, read alike by YAML 1.1 and 1.2: block style for what has members,
// one line for the rest.
std::string yaml_text(const Value& value);

}  // namespace notesdb
