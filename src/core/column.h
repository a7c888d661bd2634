// Column: one column of a schema: what its fields are called, what they may hold.
//
// `merge` says how two changed values join when git merges a row; it decides nothing here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/number_format.h"
#include "core/value.h"

namespace notesdb {

enum class ColumnType {
  text,
  number,
  checkbox,
  date,
  datetime,
  select,
  multi_select,
  url,
  relation,
  list,
  json,
  rollup,   // computed on reading, never written
  formula,  // the same; where it is known what it gives, its column has that type (Column::type)
  unknown,  // a type of another program: its values are read like json and never written
};

// "multi-select" for multi_select; what a schema file says.
std::string_view name_of(ColumnType type);
// ColumnType::unknown for any other word; "rollup" is known.
ColumnType parse_column_type(std::string_view name);
// The types a person may give to a column, in the order of the contract.
std::vector<std::string> column_type_names();

// What a rollup column computes: `function` over `field` of the rows that `relation` names.
struct Rollup {
  std::string relation;  // a column of this schema
  std::string field;     // a column of the target
  std::string function;  // count, count_distinct, sum, avg, min, max, list, percent_checked
  std::string from{};    // in place of `relation`: database.column, a relation of another one
};

// What becomes of a relation when the row that it names is deleted.
enum class OnDelete : std::uint8_t { keep, refuse, clear };

std::string_view name_of(OnDelete choice);
std::optional<OnDelete> parse_on_delete(std::string_view name);

// Which writes set a date column by themselves; a caller never sets such a column.
enum class AutoDate : std::uint8_t { none, created, updated };

std::string_view name_of(AutoDate choice);  // empty for none
std::optional<AutoDate> parse_auto_date(std::string_view name);

struct Column {
  std::string id;
  std::string name;                    // the id where the schema gives none
  ColumnType type = ColumnType::text;  // of a formula that of its values
  std::string type_name;               // as the schema spells it, also where it is unknown
  std::string description;
  std::vector<std::string> options;  // of select and multi-select
  std::string target;                // of a relation: a database id
  bool multiple = false;             // of a relation
  OnDelete on_delete = OnDelete::keep;
  bool required = false;
  bool unique = false;
  std::optional<Value> default_value;  // of a date column also the text `today` or `now`
  AutoDate auto_date = AutoDate::none;
  std::vector<std::string>
      formats;                  // of dates (core/date_format.h): all are read, the first written
  std::string locale;           // of the names in them: de, de-AT; empty: English
  std::optional<int> decimals;  // of a number, as the files write it
  NumberFormat number_format;   // the same
  std::optional<Value> min;     // a number, or a date as text
  std::optional<Value> max;
  std::string pattern;  // RE2, for text; empty if none
  std::string merge;    // union, max, min, ours, theirs, conflict; empty: by type
  std::optional<Rollup> rollup;
  std::string expression;  // of a formula

  // Whether a field of it is a list: list, multi-select, and relation with `multiple`.
  bool holds_list() const;
  // Whether it is a date or datetime column.
  bool holds_date() const;
  // Whether it is worked out on reading: rollup and formula.
  bool is_computed() const;
  // Whether the row's file holds it: not computed, not unknown.
  bool writable() const;
};

}  // namespace notesdb
