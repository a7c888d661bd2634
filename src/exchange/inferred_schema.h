// Inferred schema: the columns that the records of a file make, for a database about to be made.
//
// A type holds only where every value has it, for what is imported must fit; else the column is
// text, or json where lists or maps stand in it. Digits that are a name stay text: 007, 1.10,
// ISBNs. An SQLite table says itself which of its columns are truth values and JSON.
#pragma once

#include <vector>

#include "core/column.h"
#include "exchange/source.h"

namespace notesdb {

// The column that column `place` of the source makes, under another id.
Column infer_source_column(const Source& source, std::size_t place, const std::string& id);

}  // namespace notesdb
