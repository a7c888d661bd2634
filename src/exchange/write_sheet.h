// Write sheet: a sheet as text, a function for each form.
#pragma once

#include <string>

#include "exchange/sheet.h"

namespace notesdb {

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

// A row as a map of the columns that it has a value for.
Value row_as_map(const Sheet& sheet, std::size_t row);
// A list of maps, one a line.
std::string write_json(const Sheet& sheet);
// A map a line.
std::string write_json_lines(const Sheet& sheet);
// A list of maps, in block style.
std::string write_yaml(const Sheet& sheet);

}  // namespace notesdb
