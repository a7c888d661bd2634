// VirtualTable: a table of SQLite whose rows are somebody else's.
//
//   VirtualTables tables(connection, rules);
//   tables.add("stories", [&] { return std::make_unique<Stories>(); });
//   connection.prepare("SELECT title FROM stories WHERE estimate > 3");
//
// A table is made when a statement names it first. SQLite asks it for plans, with what it would
// like to be spared, and opens a cursor for each place where it is read. Whatever a cursor leaves
// out must not be an answer: SQLite checks every row that comes against every condition again.
//
// What a table or a cursor throws ends the statement with a Failure; rethrow() gives it to whoever
// ran that.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite/connection.h"

namespace notesdb::sqlite {

// A value of SQLite where it lies.
struct Scalar {
  enum class Kind : std::uint8_t { null, integer, real, text, blob };

  Kind kind = Kind::null;
  union {
    std::int64_t integer = 0;
    double real;
  };
  std::string_view text{};

  static Scalar of(std::int64_t integer);
  static Scalar of(double real);
  static Scalar of(std::string_view text);
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
};

// The order of SQLite where texts compare byte by byte: null, numbers, texts, blobs.
int compare(const Scalar& a, const Scalar& b);

// Not `IS NOT NULL`: of one in the ON of a LEFT JOIN SQLite 3.40 tells the left table too, whose
// rows it is not about.
enum class Comparison : std::uint8_t {
  eq,
  is,
  gt,
  gte,
  lt,
  lte,
  is_null,
  in,  // one of several values
};

// What a condition compares a column with.
struct ConstraintValue {
  Scalar value;
  Scalar as_number;  // a text that spells a number as that number, else the value
};

// Of `in` any number of them, of every other comparison one.
using ConstraintValues = std::vector<ConstraintValue>;

constexpr int rowid_column = -1;

// A condition that a plan may make use of.
struct Constraint {
  int column = rowid_column;
  Comparison comparison = Comparison::eq;
};

struct SortTerm {
  int column = rowid_column;
  bool is_descending = false;
};

// One way to read a table, as it is asked for and answered.
struct Plan {
  // In: what SQLite could tell a cursor, how it wants the rows, and which columns it will read, a
  // bit each; the last stands for all from the 64th on.
  std::vector<Constraint> constraints{};
  std::vector<SortTerm> order{};
  std::uint64_t columns_read = 0;
  // Out: which of the conditions are wanted, by their places; whether the rows come in this order;
  // what it costs.
  std::vector<int> used{};
  bool is_ordered = false;
  double cost = 0;
  std::int64_t rows = 0;
};

// Where a cursor puts a value.
class Output {
 public:
  explicit Output(void* context) : context_(context) {}
  // The text must stay where it is as long as the statement.
  void put(const Scalar& value);
  void put_copy(std::string_view text);

 private:
  void* context_;
};

class Cursor {
 public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;

  // To the first row; the values are those of plan.used, in its order.
  virtual void filter(const Plan& plan, const std::vector<ConstraintValues>& values) = 0;
  virtual void next() = 0;
  virtual bool is_at_end() const = 0;
  virtual void put_column(int column, Output& output) = 0;
  virtual std::int64_t rowid() const = 0;
};

class VirtualTable {
 public:
  VirtualTable() = default;
  VirtualTable(const VirtualTable&) = delete;
  VirtualTable& operator=(const VirtualTable&) = delete;
  virtual ~VirtualTable() = default;

  // CREATE TABLE t(...), with its columns; one may be HIDDEN.
  virtual std::string declaration() const = 0;
  virtual void plan(Plan& plan) = 0;
  virtual std::unique_ptr<Cursor> open() = 0;
};

// The virtual tables of a connection, which must outlive it.
class VirtualTables {
 public:
  using Make = std::function<std::unique_ptr<VirtualTable>()>;

  // `rules` are those of the connection (Connection::allow_only_reading).
  VirtualTables(const Connection& connection, Connection::ReadOnly& rules);
  VirtualTables(const VirtualTables&) = delete;
  VirtualTables& operator=(const VirtualTables&) = delete;
  ~VirtualTables();

  void add(const std::string& name, Make make);
  // What was thrown, if anything was.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  friend struct Glue;
  struct Module;
  const Connection& connection_;
  Connection::ReadOnly& rules_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::exception_ptr thrown_;
};

}  // namespace notesdb::sqlite
