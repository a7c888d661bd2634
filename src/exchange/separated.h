// Separated text: CSV and TSV as records of cells, each with the line it stands on.
//
//   csv   RFC 4180: cells between `separator`, quoted where they hold one, a quote or a line end;
//         lines may end in CRLF, LF or CR; a quote inside a bare cell is a character like any other
//   tsv   tabs between cells and no quotes; \t \n \r \\ stand for what a cell cannot hold
//
// A byte order mark in front is no part of the text. An empty line is no record. Nothing is
// guessed: what is no such text is a problem with its line, and reading continues after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace notesdb {

struct SeparatedCell {
  std::string text;
  bool quoted = false;  // "" and nothing at all are two things
};

struct SeparatedRecord {
  std::uint32_t line = 0;  // of the file, from 1
  std::vector<SeparatedCell> cells;
};

struct SeparatedText {
  std::vector<SeparatedRecord> records;
  std::vector<Issue> issues;  // rule `csv`; the path is the caller's to fill in
};

SeparatedText read_csv(std::string_view text, char separator);
SeparatedText read_tsv(std::string_view text);

// A cell in quotes where it needs them.
void append_csv_cell(std::string& out, std::string_view text, char separator);
void append_tsv_cell(std::string& out, std::string_view text);

}  // namespace notesdb
