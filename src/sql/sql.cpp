#include "sql/sql.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "core/budget.h"
#include "core/text.h"
#include "database/snapshot.h"
#include "index/database_folder.h"
#include "json/json_value.h"
#include "sql/rows_as_table.h"
#include "sql/sql_table.h"
#include "sqlite/connection.h"
#include "sqlite/virtual_table.h"

namespace notesdb {
namespace {

Error refusal(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

Error refused(const std::string& what) {
  return refusal(what +
                 ": a query is one SELECT, which reads the databases of the workspace and nothing "
                 "else");
}

// The table of each database.
struct TableNames {
  explicit TableNames(const std::vector<std::string>& database_ids) : ids(database_ids) {
    for (const std::string& id : ids)
      names.push_back(sql_table_name(id));
    names = unique_sql_names(names);
  }

  std::vector<std::string> ids;
  std::vector<std::string> names;
};

// One query from its text to its rows.
class Session {
 public:
  Session(Workspace& workspace, const SqlRequest& request, TableNames tables)
      : workspace_(workspace),
        request_(request),
        names_(std::move(tables)),
        memory_(request.max_memory),
        connection_(":memory:"),
        tables_(connection_, rules_) {
    for (const std::string& name : names_.names)
      known_.insert(fold_case(name));
    rules_.may_read = [this](std::string_view table) {
      return table == "json_each" || table == "json_tree" || known_.contains(fold_case(table));
    };
    connection_.stop_when([this] { return is_enough(); });
    connection_.allow_only_reading(rules_);
    for (std::size_t i = 0; i < names_.names.size(); ++i)
      tables_.add(names_.names[i], [this, i] { return make_table(i); });
  }

  Result<SqlAnswer> run() try {
    std::string_view rest;
    sqlite::Statement statement(connection_.handle(), request_.query, &rest);
    if (auto right = check(statement, rest); !right) return right.error();
    if (auto bound = bind(statement); !bound) return bound.error();
    SqlAnswer answer;
    std::vector<std::string> columns;
    for (int column = 0; column < statement.column_count(); ++column)
      columns.push_back(statement.column_name(column));
    answer.columns = unique_sql_names(columns);
    take_rows(statement, answer);
    describe_tables(answer);
    return answer;
  } catch (const sqlite::Failure& failure) {
    return explain(failure);
  }

 private:
  // Cancelled, or out of time: the reason is thrown once SQLite has come to an end.
  bool is_enough() noexcept {
    try {
      Budget::look();
      return false;
    } catch (...) {
      stopped_ = std::current_exception();
      return true;
    }
  }

  std::unique_ptr<sqlite::VirtualTable> make_table(std::size_t number) {
    const auto database = workspace_.get(names_.ids[number]);
    if (!database) throw TableUnreadable(database.error());
    auto snapshot = (*database)->snapshot();
    if (!snapshot) throw TableUnreadable(snapshot.error());
    auto& kept = snapshots_[number];
    kept = *std::move(snapshot);
    auto table = std::make_unique<RowsAsTable>(*kept, stored_);
    named_[number] = table.get();
    return table;
  }

  Result<void> check(const sqlite::Statement& statement, std::string_view rest) {
    if (statement.is_empty()) return refusal("the query is empty; write a SELECT");
    if (statement.column_count() == 0)
      return refusal("only a SELECT is run, which gives rows; this statement does not");
    while (!rest.empty()) {
      const sqlite::Statement next(connection_.handle(), rest, &rest);
      if (!next.is_empty())
        return refusal("only one SELECT is run; another statement stands behind it");
    }
    return {};
  }

  Result<void> bind(sqlite::Statement& statement) const {
    std::vector<std::string> names;
    std::vector<Error> errors;
    for (int place = 1; place <= statement.parameter_count(); ++place) {
      const std::string given = statement.parameter_name(place);
      names.push_back(given.empty() ? std::to_string(place) : given.substr(1));
      const Value* value = find_member(request_.params, names.back());
      if (value != nullptr)
        statement.bind_value(place, sql_value(*value));
      else
        errors.push_back(refusal("the parameter '" + (given.empty() ? "?" : given) +
                                 "' has no value; params {\"" + names.back() +
                                 "\": ...} gives it"));
    }
    for (const Member& member : request_.params) {
      if (std::ranges::find(names, member.key) == names.end())
        errors.push_back(unknown_name(ErrorCode::invalid_argument, "parameter", member.key, names));
    }
    if (!errors.empty()) return join(errors);
    return {};
  }

  static Value cell(const sqlite::Statement& statement, int column) {
    if (statement.is_blob(column)) return statement.blob_text(column);
    Value value = statement.value(column);
    if (value.is_text() && !is_utf8(value.text())) return to_utf8(value.text());
    return value;
  }

  void take_rows(sqlite::Statement& statement, SqlAnswer& answer) const {
    std::size_t bytes = 0;
    const auto most = static_cast<std::size_t>(
        request_.max_rows.value_or(std::numeric_limits<std::int64_t>::max()));
    while (statement.step()) {
      Budget::look();
      answer.has_more = answer.rows.size() == most;
      if (answer.has_more) return;
      List row;
      row.reserve(answer.columns.size());
      std::size_t held = sizeof(Value);
      for (int column = 0; column < statement.column_count(); ++column) {
        row.push_back(cell(statement, column));
        held += sizeof(Value) + (row.back().is_text() ? row.back().text().size() : 0);
      }
      Budget::take(held);
      Value taken(std::move(row));
      if (request_.max_bytes) {
        bytes += to_json(taken).size() + 1;
        answer.is_cut_by_bytes = bytes > *request_.max_bytes && !answer.rows.empty();
        answer.has_more = answer.is_cut_by_bytes;
        if (answer.has_more) return;
      }
      answer.rows.push_back(std::move(taken));
    }
  }

  void describe_tables(SqlAnswer& answer) const {
    for (const auto& [number, snapshot] : snapshots_) {
      const RowTable& rows = snapshot->rows();
      answer.unreadable += static_cast<std::int64_t>(rows.unreadable_count());
      std::ranges::move(rows.unreadable(), std::back_inserter(answer.issues));
      std::size_t broken = named_.at(number)->broken().size();
      // What is missing of a row may be why there is none.
      for (std::uint32_t row = 0; answer.rows.empty() && row < rows.row_count(); ++row)
        broken += rows.facts(row).broken > 0 && !named_.at(number)->broken().contains(row) ? 1 : 0;
      if (broken == 0) continue;
      const std::string& id = names_.ids[number];
      answer.notice += (answer.notice.empty() ? "" : "; ") + std::to_string(broken) +
                       (broken == 1 ? " row of " : " rows of ") + id +
                       (broken == 1 ? " has" : " have") +
                       " fields that cannot be read; see: notesdb check " + id;
    }
  }

  Error explain(const sqlite::Failure& failure) const {
    if (stopped_) std::rethrow_exception(stopped_);
    try {
      tables_.rethrow();
    } catch (const TableUnreadable& unreadable) {
      return unreadable.error();
    }
    if (memory_.is_reached()) {
      Budget::take(request_.max_memory);
      Budget::take(1);
      return {ErrorCode::limit_exceeded, "the query needs more memory than it may use", Map{}};
    }
    if (!rules_.refused.empty()) return refused(rules_.refused + " is refused");
    const std::string_view message = failure.what();
    if (message.ends_with(" may not be modified")) return refused(std::string(message));
    return nearest(message);
  }

  // A name that SQLite does not know, with those that there are.
  Error nearest(std::string_view message) const {
    constexpr std::string_view no_table = "no such table: ";
    constexpr std::string_view no_column = "no such column: ";
    if (message.starts_with(no_table)) {
      return unknown_name(
          ErrorCode::unknown_database, "table", message.substr(no_table.size()), names_.names);
    }
    if (message.starts_with(no_column)) {
      const std::string_view name = message.substr(no_column.size());
      std::vector<std::string> columns;
      for (const auto& [number, snapshot] : snapshots_)
        for (const auto& column : RowsAsTable::columns_of(snapshot->schema()))
          if (std::ranges::find(columns, column.name) == columns.end())
            columns.push_back(column.name);
      return unknown_name(
          ErrorCode::unknown_field, "column", name.substr(name.rfind('.') + 1), columns);
    }
    if (request_.query.find_first_not_of(" \t\r\n") == request_.query.find('.'))
      return refusal(
          "commands with a dot are the sqlite3 program's; notesdb sql --schema lists tables");
    return refusal("SQL: " + std::string(message));
  }

  Workspace& workspace_;
  const SqlRequest& request_;
  TableNames names_;
  std::set<std::string> known_;
  std::exception_ptr stopped_;
  sqlite::MemoryLimit memory_;  // before all that takes of it
  AffinityTable stored_;
  std::map<std::size_t, std::unique_ptr<Snapshot>> snapshots_;  // of the tables that were named
  std::map<std::size_t, RowsAsTable*> named_;
  sqlite::Connection::ReadOnly rules_;
  sqlite::Connection connection_;
  sqlite::VirtualTables tables_;
};

}  // namespace

Result<SqlAnswer> run_sql(Workspace& workspace, const SqlRequest& request) {
  auto ids = workspace.database_ids();
  if (!ids) return ids.error();
  return Session(workspace, request, TableNames(ids->ids)).run();
}

Result<SqlTables> sql_tables(Workspace& workspace) {
  const auto ids = workspace.database_ids();
  if (!ids) return ids.error();
  const TableNames tables(ids->ids);
  SqlTables answer;
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    const auto database = workspace.get(tables.ids[i]);
    const auto folder = database ? (*database)->folder() : database.error();
    if (!folder) {
      Issue issue;
      issue.path = tables.ids[i];
      issue.rule = "schema";
      issue.message = folder.error().message;
      answer.issues.push_back(std::move(issue));
      continue;
    }
    for (const auto& column : RowsAsTable::columns_of((*folder)->schema())) {
      Map described{{"table", tables.names[i]}, {"column", column.name}, {"type", column.type}};
      const bool is_relation =
          column.column != nullptr && column.column->type == ColumnType::relation;
      if (is_relation) {
        const auto target = std::ranges::find(tables.ids, column.column->target);
        if (target != tables.ids.end()) {
          const auto& name = tables.names[static_cast<std::size_t>(target - tables.ids.begin())];
          described.push_back({"references", name + "._id"});
        }
      }
      if (column.is_hidden) described.push_back({"hidden", true});
      answer.columns.push_back(std::move(described));
    }
  }
  return answer;
}

}  // namespace notesdb
