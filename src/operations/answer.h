// Answer: what rows, issues and schemas look like in a result.
//
//   row     {id, etag, fields, body?, modified?, extra?, issues?}
//   issue   {path, line?, column?, severity, rule, message, field?}
#pragma once

#include <cstddef>
#include <optional>
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

// The most of a body that one answer holds where it is cut, and what of it: from `offset` bytes on,
// whole characters. Sets `body`, and where that is not all of it `body_offset` and `body_total` of
// the row; the rest of the sentence "the body ..." then, else nothing.
std::string take_body_part(Value& row, std::size_t offset, std::optional<std::size_t> max_bytes);

// Of the first so many bytes of a text those that are whole characters.
std::size_t whole_characters(std::string_view text, std::size_t bytes);

// What every writer answers beside what it did: {change?, diff?, warnings?, durable?}.
Value with_receipt(Value answer, const Receipt& receipt);

// What an answer that is paid for by the byte shows of a long diff: whole files, as they come.
void cut_diff(Receipt& receipt, std::optional<std::size_t> max_bytes);

// What a write of one row answers: {row, changed, references?} and the receipt, cut to max_bytes.
Value write_result(WriteAnswer answer, std::optional<std::size_t> max_bytes);

// That something was left out of an answer, and how to get at it.
void add_notice(Value& answer, const std::string& sentence);

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
