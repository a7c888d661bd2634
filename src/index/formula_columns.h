// FormulaColumns: the formula columns of a schema, and what they compute of a row.
//
//   {id: total, type: formula, expression: price * quantity}
//
// A plain name is a column, whether its values stand in the file or are computed too; `note.x`,
// `file.x` and `formula.x` mean what they mean in a base. The type of such a column is that of its
// values as far as the expression tells (expression/result_kind.h), else json: each value is then
// compared by its own kind. A row for which the expression fails has the value {error: why}, which
// fits no type.
//
// Immutable; may be asked from several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/schema.h"
#include "core/value.h"
#include "expression/evaluation.h"
#include "expression/formulas.h"
#include "files/file_system.h"
#include "query/table.h"

namespace notesdb {

// How long a value holds: as long as its row's file stays as it is; that, and as long as the day
// is the same; for one question.
enum class FormulaHold : std::uint8_t { row, day, question };

struct FormulaColumn {
  std::size_t column = 0;
  FormulaHold hold = FormulaHold::row;
  bool reads_files = false;   // it asks for links, tags, or other files
  bool uses_rollups = false;  // by other formulas too
  std::string problem{};      // why it cannot be computed; empty if it can
};

// The row that a formula is about.
class FormulaRow {
 public:
  FormulaRow() = default;
  FormulaRow(const FormulaRow&) = delete;
  FormulaRow& operator=(const FormulaRow&) = delete;
  virtual ~FormulaRow() = default;
  virtual Value field(std::size_t column) const = 0;  // null where it is missing
  virtual std::string path() const = 0;
  virtual expression::FilePointer file() const = 0;
};

// A file by its name and times alone, for formulas that do not read it.
expression::FilePointer file_by_name(std::string path, const StatKey& key);

class FormulaColumns {
 public:
  // The formula columns of the schema get the types of their values.
  explicit FormulaColumns(Schema& schema);
  FormulaColumns(const FormulaColumns&) = delete;
  FormulaColumns& operator=(const FormulaColumns&) = delete;

  bool empty() const { return columns_.empty(); }
  const std::vector<FormulaColumn>& all() const { return columns_; }
  const FormulaColumn* find(std::size_t column) const;
  // What is wrong with the expression of a column.
  std::vector<expression::Problem> problems(const std::string& id) const;
  // The columns that it names, each once.
  std::vector<std::string> names_used(const std::string& id) const;

  // The rollups that columns are computed from, by other formulas too.
  std::vector<std::string> rollups_of(const std::vector<std::string>& ids) const;

  // For all rows of a question; the time zone is that of this process.
  expression::Environment environment(expression::Date now) const;
  struct Computed {
    Value value{};  // null: the row has none
    bool fits = true;
  };
  // What these give for a row, in their order; none is worked out twice, however they use each other.
  std::vector<Computed> compute(std::span<const FormulaColumn* const> formulas,
                                const FormulaRow& row,
                                const expression::Environment& environment) const;

 private:
  class Subject;
  Computed compute(const FormulaColumn& formula, expression::Evaluation& evaluation) const;
  void check_names();
  void find_holds();
  void take_types(Schema& schema) const;
  FormulaColumn& of(const std::string& id);

  std::vector<std::string> ids_;  // of all columns
  std::vector<ColumnType> types_;
  std::unordered_map<std::string_view, std::size_t> places_;  // by id
  expression::Formulas formulas_;
  std::unordered_map<std::string, std::vector<expression::Problem>> unknown_;  // by column
  std::vector<FormulaColumn> columns_;
};

// The time of the question that is asked now.
expression::Date question_time();

// The place of a problem as people count it: "at character 7: ...".
std::string told(const expression::Problem& problem, std::string_view expression);

// The different values of a computed column, each with a code from 1 on.
class ComputedValues {
 public:
  // 0 for a null; added if it is new.
  std::uint32_t code_of(FormulaColumns::Computed computed);
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
  const Value& value(std::uint32_t code) const { return values_[code - 1].value; }
  bool fits(std::uint32_t code) const { return values_[code - 1].fits; }
  std::size_t memory() const;

 private:
  std::vector<FormulaColumns::Computed> values_;
  std::unordered_multimap<std::size_t, std::uint32_t> codes_;  // by hash of their text
};

// A row of a table, with the columns that the table has.
class TableRow : public FormulaRow {
 public:
  TableRow(const Table& table, std::uint32_t row, const StatKey& key)
      : table_(table), row_(row), key_(key) {}
  Value field(std::size_t column) const override;
  std::string path() const override { return table_.path(row_); }
  expression::FilePointer file() const override { return file_by_name(path(), key_); }

 private:
  const Table& table_;
  std::uint32_t row_;
  const StatKey& key_;
};

}  // namespace notesdb
