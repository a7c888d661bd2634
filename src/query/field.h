// Field: what a filter, a sort or a metric asks about, bound to a schema.
//
//   status            a column; an id that is exactly this text wins over reading dots
//   links.epic        inside a json column: keys and list positions
//   releases[].cycle  every element of a list
//   _id _path _modified _body, and row_id for _id where no column is called so
//
// A field reads values into the form they are compared in: a relation's value becomes the id of
// the row that it names, a number that stands in a text or date column becomes its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "query/table.h"

namespace notesdb {

// How the values of a field compare; the columns of the operators' table in docs/filters.md.
enum class Family { text, number, moment, checkbox, list, json };

Family family_of(const Column& column);

// One step into a json value: a key or position, or every element.
struct PathStep {
  std::string key;
  bool every = false;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

struct Field {
  enum class Source { column, id, path, modified, body };

  std::string name;  // as asked for
  Source source = Source::column;
  std::size_t column = 0;
  ColumnType type = ColumnType::text;
  Family family = Family::text;
  std::vector<std::string> options;  // of select and multi-select
  std::string target;                // of a relation
  std::vector<PathStep> steps;
  bool by_options = false;  // sorts in the order of its options

  // Whether it may stand for several values of one row.
  bool spreads() const;
  // The value as it is compared: links resolved, steps taken. Null where there is none; a list of
  // all that was found if the field spreads.
  Value read(Value value) const;
  friend bool operator==(const Field&, const Field&) = default;
};

// Fails with unknown_field, naming the nearest, or saying what cannot be entered with a dot.
Result<Field> bind_field(std::string_view name, const Schema& schema);

// Every name that bind_field takes without dots: columns, then pseudo-fields.
std::vector<std::string> field_names(const Schema& schema);

// What kind of column a message is about: "select", "relation", or "json" for what lies in one.
std::string_view kind_of(const Field& field);

// FieldValues: the values of a field in a table, by code where the table has codes.
class FieldValues {
 public:
  FieldValues(const Table& table, const Field& field);

  bool coded() const { return field_->source == Field::Source::column; }
  std::span<const std::uint32_t> codes() const { return codes_; }
  std::uint32_t value_count() const;
  // Null for code 0, which is missing.
  Value of_code(std::uint32_t code) const;
  bool fits(std::uint32_t code) const;
  // Fails only for a body that cannot be read.
  Result<Value> of_row(std::uint32_t row) const;
  // The ranks that the table keeps for these very values; empty if there are none.
  std::span<const std::uint32_t> rank_index() const;
  // How many rows have each code, where the table keeps count; else empty.
  std::span<const std::uint32_t> count_cache() const;

  const Field& field() const { return *field_; }

 private:
  const Table* table_;
  const Field* field_;
  std::span<const std::uint32_t> codes_;
};

// Unknown column: the refusal of a name that is not a column's id.

// unknown_field: with the column that has the name as its display name, else the valid ids and the
// nearest.
Error unknown_column(std::string_view name, const Schema& schema);

}  // namespace notesdb
