// Answer: what rows, issues and schemas look like in a result.
//
//   row     {id, etag, fields, body?, modified?, extra?, issues?}
//   issue   {path, line?, column?, severity, rule, message, field?}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/row.h"
#include "core/value.h"
#include "database/database.h"
#include "database/write_rows.h"
#include "git/row_difference.h"

namespace notesdb {

// Members that have nothing to say are left out.
Value to_value(const Issue& issue);
Value to_value(const std::vector<Issue>& issues);

// A row of a list: id, etag, fields; the body where it was asked for, `modified` where it is there.
enum class BodyIn { left_out, included };
Value to_value(Row&& row, BodyIn body);
// A row by itself: with body, undeclared keys, time and issues.
Value to_whole_value(Row row);

// What every writer answers beside what it did: {change?, diff?, warnings?, durable?}.
Value with_receipt(Value answer, const Receipt& receipt);

// What an answer that is paid for by the byte shows of a long diff: whole files, as they come.
void cut_diff(Receipt& receipt);

// What a write of one row answers: {row, changed, references?} and the receipt.
Value write_result(WriteAnswer answer);

// The same answer with one member called otherwise.
Value renamed(Value answer, std::string_view from, std::string_view to);

// A database and its schema: {database_id, name, description?, columns, views, templates, row_id,
// etag}.
Value schema_value(const std::string& database_id, const SchemaAnswer& answer);

// Past answer: what differences between two states of rows look like in a result.
//
//   {row_id, change, field, from?, to?}      one record for each field

// Adds the records of one row; `head` is what each of them begins with. A row without differing
// fields (renamed, emptied) is one record without a field.
void add_records(const RowDifference& row, const Map& head, List& records);

}  // namespace notesdb
