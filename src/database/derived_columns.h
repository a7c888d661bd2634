// DerivedColumns: columns whose values come from related rows, computed on reading, never written.
//
//   assignee.name      the field of the row that a relation names; of several rows a list
//   epic.owner.name    through two relations
//   a rollup column    count, sum, avg, min, max, list ... over the related rows
//   the same with from over the rows that name this one (reverse_rollups.h)
//
// A derived column is as good as any other: filters, sorts, groups and `select` take it. Its value
// is computed once per value of the relation, not per row. What related rows say is a snapshot,
// taken before the question is answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/schema.h"
#include "core/value.h"
#include "note/link_names.h"
#include "query/table.h"

namespace notesdb {

struct DerivedColumn {
  Column column;
  std::size_t place = 0;     // in the schema with all columns
  std::size_t relation = 0;  // the column of relations that it follows
  std::optional<Rollup> rollup{};
  // By row id of the target; null where a row exists and has no such field.
  std::unordered_map<std::string, Value> related{};
  // Whether `related` is by the ids of this database's own rows, and no relation followed
  // (note_fields.h).
  bool is_own = false;
  // The same of a rollup over the rows that name this one, and the value of a row that none names.
  std::shared_ptr<const std::unordered_map<std::string, Value>> by_row{};
  Value of_none{};
  // Of a relation that is compared by the rows that its links mean: its values by their codes, from 1.
  std::vector<Value> meant{};

  // Its value for a row by itself, where it is_own.
  const Value* find_own(const std::string& row_id) const;
  // Its value for what a row's relation holds; a null relation names nobody.
  Value value_for(const Column& relation_column, const Value& named) const;

  // The row that one item of a relation means; a link may mean it by its name alone.
  const Value* find_related(const Column& relation_column, const Value& item) const;
  mutable std::shared_ptr<LinkNames> names{};  // of the ids in `related`; made when first needed
};

class DerivedColumns {
 public:
  // The schema must outlive it.
  explicit DerivedColumns(const Schema& schema) : own_(schema) {}

  // The database's own columns in their places, rollups as what they compute; then the others.
  const Schema& schema() const { return changed_ ? *changed_ : own_; }
  bool empty() const { return columns_.empty(); }
  const std::vector<DerivedColumn>& columns() const { return columns_; }
  // A rollup takes the place of its declaration, any other column a new one.
  void add(DerivedColumn column);
  // Puts other values in the place of a relation's; its column stays as it is declared.
  void replace(DerivedColumn column) { columns_.push_back(std::move(column)); }

 private:
  const Schema& own_;
  std::optional<Schema> changed_;
  std::vector<DerivedColumn> columns_;
};

// The rows of a table with derived columns beside its own. Both must outlive it.
class DerivedTable : public Table {
 public:
  DerivedTable(const Table& table, const DerivedColumns& derived);

  std::uint32_t row_count() const override { return table_.row_count(); }
  std::span<const std::uint32_t> codes(std::size_t column) const override;
  std::uint32_t value_count(std::size_t column) const override;
  Value value(std::size_t column, std::uint32_t code) const override;
  bool fits(std::size_t column, std::uint32_t code) const override;
  std::span<const std::uint32_t> ranks(std::size_t column) const override;
  std::string_view row_id(std::uint32_t row) const override { return table_.row_id(row); }
  std::string path(std::uint32_t row) const override { return table_.path(row); }
  std::int64_t modified(std::uint32_t row) const override { return table_.modified(row); }
  Result<std::string> body(std::uint32_t row) const override { return table_.body(row); }

 private:
  // Code c + 1 belongs to code c of the relation, so that rows without one have a value too; of a
  // column of the rows' own each row has its code.
  struct Computed {
    std::vector<std::uint32_t> codes;
    std::vector<Value> values;
    std::vector<const Value*> own{};  // in their place: those that the column holds
  };
  static Computed own_values(const Table& table, const DerivedColumn& column);
  const Computed* find(std::size_t column) const;

  const Table& table_;
  std::unordered_map<std::size_t, Computed> computed_;
};

// The relation column that a name leads through: of a dotted name the one that it begins with, of a
// rollup its own; columns of exactly this name come first. A null pointer where it leads through
// none.
const Column* followed_relation(const Schema& schema, std::string_view name);
// What a rollup's function makes of the values of so many rows.
Value rolled_up(const Rollup& rollup, const List& values, std::size_t rows);
// The value, or its items; nothing where it is empty.
void add_elements(const Value& value, List& elements);

// The column that a rollup is for filters and sorts. `field` is what it is over, if it is known.
Column rollup_column(const Column& declared, const Column* field);
// The column that `field` of related rows makes, called `id`.
Column followed_column(const Column& relation, Column field, std::string id);

}  // namespace notesdb
