#include "sqlite/virtual_table.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include <sqlite3.h>

namespace notesdb::sqlite {

Scalar Scalar::of(std::int64_t integer) {
  Scalar scalar;
  scalar.kind = Kind::integer;
  scalar.integer = integer;
  return scalar;
}

Scalar Scalar::of(double real) {
  Scalar scalar;
  scalar.kind = Kind::real;
  scalar.real = real;
  return scalar;
}

Scalar Scalar::of(std::string_view text) {
  Scalar scalar;
  scalar.kind = Kind::text;
  scalar.text = text;
  return scalar;
}

namespace {

template <typename T>
int order_of(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_with_real(std::int64_t integer, double real) {
  constexpr double beyond = 9223372036854775808.0;  // 2^63
  if (real >= beyond) return -1;
  if (real < -beyond) return 1;
  const int order = order_of(integer, static_cast<std::int64_t>(real));
  return order != 0 ? order : order_of(static_cast<double>(integer), real);
}

int compare_numbers(const Scalar& a, const Scalar& b) {
  const bool is_real_a = a.kind == Scalar::Kind::real;
  const bool is_real_b = b.kind == Scalar::Kind::real;
  if (is_real_a && is_real_b) return order_of(a.real, b.real);
  if (is_real_b) return compare_with_real(a.integer, b.real);
  if (is_real_a) return -compare_with_real(b.integer, a.real);
  return order_of(a.integer, b.integer);
}

// Numbers of either kind are of one.
int class_of(const Scalar& scalar) {
  return scalar.kind == Scalar::Kind::real ? static_cast<int>(Scalar::Kind::integer)
                                           : static_cast<int>(scalar.kind);
}

}  // namespace

int compare(const Scalar& a, const Scalar& b) {
  if (const int order = order_of(class_of(a), class_of(b)); order != 0) return order;
  if (a.is_number()) return compare_numbers(a, b);
  return a.text.compare(b.text);
}

void Output::put(const Scalar& value) {
  auto* context = static_cast<sqlite3_context*>(context_);
  switch (value.kind) {
    case Scalar::Kind::null: return sqlite3_result_null(context);
    case Scalar::Kind::integer: return sqlite3_result_int64(context, value.integer);
    case Scalar::Kind::real: return sqlite3_result_double(context, value.real);
    default:
      sqlite3_result_text64(context,
                            value.text.empty() ? "" : value.text.data(),
                            value.text.size(),
                            SQLITE_STATIC,
                            SQLITE_UTF8);
  }
}

void Output::put_copy(std::string_view text) {
  sqlite3_result_text64(static_cast<sqlite3_context*>(context_),
                        text.empty() ? "" : text.data(),
                        text.size(),
                        SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

struct VirtualTables::Module {
  VirtualTables& tables;
  Make make;
};

namespace {

struct TableObject : sqlite3_vtab {
  std::unique_ptr<VirtualTable> table;
  std::vector<Plan> plans;  // a plan's number is its place
  std::exception_ptr* thrown = nullptr;
};

struct CursorObject : sqlite3_vtab_cursor {
  std::unique_ptr<Cursor> cursor;
};

TableObject& object_of(sqlite3_vtab* table) {
  return *static_cast<TableObject*>(table);
}

TableObject& table_of(sqlite3_vtab_cursor* cursor) {
  return object_of(cursor->pVtab);
}

Cursor& cursor_of(sqlite3_vtab_cursor* cursor) {
  return *static_cast<CursorObject*>(cursor)->cursor;
}

// What is thrown may not pass the functions of SQLite.
template <typename Work>
int guarded(std::exception_ptr& thrown, const Work& work) noexcept {
  try {
    work();
    return SQLITE_OK;
  } catch (...) {
    thrown = std::current_exception();
    return SQLITE_ERROR;
  }
}

std::optional<Comparison> comparison_of(unsigned char operation) {
  switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return Comparison::eq;
    case SQLITE_INDEX_CONSTRAINT_IS: return Comparison::is;
    case SQLITE_INDEX_CONSTRAINT_GT: return Comparison::gt;
    case SQLITE_INDEX_CONSTRAINT_GE: return Comparison::gte;
    case SQLITE_INDEX_CONSTRAINT_LT: return Comparison::lt;
    case SQLITE_INDEX_CONSTRAINT_LE: return Comparison::lte;
    case SQLITE_INDEX_CONSTRAINT_ISNULL: return Comparison::is_null;
    default: return std::nullopt;
  }
}

int best_index(sqlite3_vtab* object, sqlite3_index_info* info) noexcept {
  TableObject& table = object_of(object);
  return guarded(*table.thrown, [&] {
    Plan plan;
    std::vector<int> places;  // of the conditions among the constraints
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      auto comparison = comparison_of(constraint.op);
      if (constraint.usable == 0 || !comparison) continue;
      // Text that compares in another way than byte by byte is SQLite's own matter.
      if (sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
      constexpr int ask = -1;
      if (sqlite3_vtab_in(info, i, ask) != 0) comparison = Comparison::in;
      plan.constraints.push_back({constraint.iColumn, *comparison});
      places.push_back(i);
    }
    for (int i = 0; i < info->nOrderBy; ++i)
      plan.order.push_back({info->aOrderBy[i].iColumn, info->aOrderBy[i].desc != 0});
    plan.columns_read = info->colUsed;
    table.table->plan(plan);
    int operand = 0;
    for (const int used : plan.used) {
      const auto number = static_cast<std::size_t>(used);
      info->aConstraintUsage[places[number]].argvIndex = ++operand;
      // All values at once: SQLite would compare each with the column by another affinity than IN's.
      if (plan.constraints[number].comparison == Comparison::in)
        sqlite3_vtab_in(info, places[number], 1);
    }
    info->orderByConsumed = plan.is_ordered && !plan.order.empty() ? 1 : 0;
    info->estimatedCost = plan.cost;
    info->estimatedRows = plan.rows;
    info->idxNum = static_cast<int>(table.plans.size());
    table.plans.push_back(std::move(plan));
  });
}

Scalar scalar_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return Scalar::of(std::int64_t{sqlite3_value_int64(value)});
    case SQLITE_FLOAT: return Scalar::of(sqlite3_value_double(value));
    case SQLITE_NULL: return {};
    default: break;
  }
  const bool is_text = sqlite3_value_type(value) == SQLITE_TEXT;
  const auto* bytes =
      is_text ? static_cast<const void*>(sqlite3_value_text(value)) : sqlite3_value_blob(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  Scalar scalar =
      Scalar::of(bytes == nullptr ? std::string_view()
                                  : std::string_view(static_cast<const char*>(bytes), size));
  if (!is_text) scalar.kind = Scalar::Kind::blob;
  return scalar;
}

ConstraintValue operand_of(sqlite3_value* value) {
  ConstraintValue operand{scalar_of(value), {}};
  operand.as_number = operand.value;
  if (operand.value.kind != Scalar::Kind::text) return operand;
  // To ask the value itself would change it for whoever looks at it next.
  sqlite3_value* const copy = sqlite3_value_dup(value);
  if (copy == nullptr) throw std::bad_alloc();
  if (sqlite3_value_numeric_type(copy) != SQLITE_TEXT) operand.as_number = scalar_of(copy);
  sqlite3_value_free(copy);
  return operand;
}

// SQLite gives the values of an `in` one after the other in one place: texts go to `texts`.
ConstraintValues values_of(sqlite3_value* given,
                           Comparison comparison,
                           std::deque<std::string>& texts) {
  if (comparison != Comparison::in) return {operand_of(given)};
  ConstraintValues values;
  sqlite3_value* value = nullptr;
  int outcome = sqlite3_vtab_in_first(given, &value);
  for (; outcome == SQLITE_OK && value != nullptr; outcome = sqlite3_vtab_in_next(given, &value)) {
    ConstraintValue& one = values.emplace_back(operand_of(value));
    one.value.text = texts.emplace_back(one.value.text);
    one.as_number.text = one.value.text;
  }
  if (outcome != SQLITE_OK && outcome != SQLITE_DONE) throw Failure(sqlite3_errstr(outcome));
  return values;
}

int filter(sqlite3_vtab_cursor* cursor,
           int plan,
           const char* /*text*/,
           int count,
           sqlite3_value** values) noexcept {
  TableObject& table = table_of(cursor);
  return guarded(*table.thrown, [&] {
    const Plan& chosen = table.plans[static_cast<std::size_t>(plan)];
    std::vector<ConstraintValues> given;
    std::deque<std::string> texts;
    for (int i = 0; i < count; ++i) {
      const auto used = static_cast<std::size_t>(chosen.used[static_cast<std::size_t>(i)]);
      given.push_back(values_of(values[i], chosen.constraints[used].comparison, texts));
    }
    cursor_of(cursor).filter(chosen, given);
  });
}

int next(sqlite3_vtab_cursor* cursor) noexcept {
  return guarded(*table_of(cursor).thrown, [&] { cursor_of(cursor).next(); });
}

int eof(sqlite3_vtab_cursor* cursor) noexcept {
  return cursor_of(cursor).is_at_end() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) noexcept {
  return guarded(*table_of(cursor).thrown, [&] {
    Output output(context);
    cursor_of(cursor).put_column(column, output);
  });
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) noexcept {
  *rowid = cursor_of(cursor).rowid();
  return SQLITE_OK;
}

int open(sqlite3_vtab* object, sqlite3_vtab_cursor** opened) noexcept {
  TableObject& table = object_of(object);
  return guarded(*table.thrown, [&] {
    auto cursor = std::make_unique<CursorObject>();
    cursor->cursor = table.table->open();
    *opened = cursor.release();
  });
}

int close(sqlite3_vtab_cursor* cursor) noexcept {
  delete static_cast<CursorObject*>(cursor);
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* object) noexcept {
  delete static_cast<TableObject*>(object);
  return SQLITE_OK;
}

}  // namespace

struct Glue {
  static int connect(sqlite3* connection,
                     void* context,
                     int /*count*/,
                     const char* const* /*words*/,
                     sqlite3_vtab** made,
                     char** /*message*/) noexcept {
    auto& module = *static_cast<VirtualTables::Module*>(context);
    return guarded(module.tables.thrown_, [&] {
      auto object = std::make_unique<TableObject>();
      object->thrown = &module.tables.thrown_;
      object->table = module.make();
      const std::string declaration = object->table->declaration();
      module.tables.rules_.is_declaring = true;
      const int outcome = sqlite3_declare_vtab(connection, declaration.c_str());
      module.tables.rules_.is_declaring = false;
      if (outcome != SQLITE_OK) throw Failure(sqlite3_errmsg(connection));
      *made = object.release();
    });
  }

  static sqlite3_module functions() {
    sqlite3_module functions{};
    functions.xConnect = connect;
    functions.xBestIndex = best_index;
    functions.xDisconnect = disconnect;
    functions.xOpen = open;
    functions.xClose = close;
    functions.xFilter = filter;
    functions.xNext = next;
    functions.xEof = eof;
    functions.xColumn = column;
    functions.xRowid = rowid;
    return functions;
  }
};

VirtualTables::VirtualTables(const Connection& connection, Connection::ReadOnly& rules)
    : connection_(connection), rules_(rules) {}
VirtualTables::~VirtualTables() = default;

void VirtualTables::add(const std::string& name, Make make) {
  static const sqlite3_module functions = Glue::functions();
  modules_.push_back(std::make_unique<Module>(Module{*this, std::move(make)}));
  if (sqlite3_create_module_v2(
          connection_.handle(), name.c_str(), &functions, modules_.back().get(), nullptr) !=
      SQLITE_OK)
    throw Failure(sqlite3_errmsg(connection_.handle()));
}

}  // namespace notesdb::sqlite
