// The law of the SQLite export: SQLite and db_query give the same answers, whatever is asked.
//
// Rows and questions are random; each question is put twice, as filters and as SQL that is made
// from the same choices and shares no code with query/. A short dose here; NOTESDB_EXPORT_QUESTIONS
// in the environment sets another number of questions, as `ninja exchange_long` does.
#include <cstdlib>
#include <functional>
#include <random>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "exchange/export.h"
#include "json/json_value.h"
#include "sqlite/connection.h"

namespace notesdb {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view schema_text =
    "---\nname: T\ncolumns:\n  - {id: title, type: text}\n  - {id: n, type: number}\n"
    "  - {id: ok, type: checkbox}\n  - {id: due, type: date}\n  - {id: at, type: datetime}\n"
    "  - {id: kind, type: select, options: [bug, Task, idea]}\n"
    "  - {id: tags, type: multi-select, options: [red, Green, blue]}\n---\n";

// A value of a column, as YAML and as the operand of a question.
class Values {
 public:
  explicit Values(std::mt19937& random) : random_(random) {}

  std::size_t below(std::size_t count) { return random_() % count; }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  const std::string& one_of(const Texts& texts) { return texts[below(texts.size())]; }

  std::string text() {
    static const Texts words{"alpha", "Beta", "gamma delta", "ALPHA", "beta 2", "10", "9", "a%b_c"};
    return one_of(words);
  }
  double number() { return static_cast<double>(static_cast<int>(below(41)) - 20) / 4; }
  std::string date() {
    return "2026-0" + std::to_string(1 + below(9)) + "-" + std::to_string(10 + below(19));
  }
  std::string moment() { return date() + "T0" + std::to_string(below(10)) + ":30:00"; }
  std::string kind() { return one_of({"bug", "Task", "idea"}); }
  std::string tag() { return one_of({"red", "Green", "blue"}); }

 private:
  std::mt19937& random_;
};

std::string field_line(Values& values, const std::string& column) {
  if (values.chance(20)) return values.chance(50) ? "" : column + ":\n";
  if (column == "title")
    return "title: \"" + (values.chance(10) ? std::string() : values.text()) + "\"\n";
  if (column == "n")
    return values.chance(5) ? "n: some\n" : "n: " + to_json(values.number()) + "\n";
  if (column == "ok") return values.chance(50) ? "ok: true\n" : "ok: false\n";
  if (column == "due") return "due: " + values.date() + "\n";
  if (column == "at") return "at: " + values.moment() + "\n";
  if (column == "kind") return "kind: " + values.kind() + "\n";
  std::string list;
  for (auto count = values.below(3); count > 0; --count)
    list += (list.empty() ? "" : ", ") + values.tag();
  return "tags: [" + list + "]\n";
}

// One condition, as both sides say it.
struct Condition {
  Value filter;
  std::string sql;
};

std::string quoted(const std::string& text) {
  std::string sql = "'";
  for (const char c : text)
    sql += c == '\'' ? "''" : std::string(1, c);
  return sql + "'";
}

std::string sql_of(const Value& value) {
  if (value.is_text()) return quoted(value.text());
  if (value.is_boolean()) return value.boolean() ? "1" : "0";
  return to_json(value);
}

class Questions {
 public:
  explicit Questions(std::mt19937& random) : values_(random) {}

  Condition condition() {
    const std::string column =
        values_.one_of({"title", "n", "ok", "due", "at", "kind", "tags", "title", "n"});
    if (values_.chance(15)) return emptiness(column);
    if (column == "tags") return tags_condition();
    if (values_.chance(20)) return membership(column);
    const bool is_textual = column == "title" || column == "kind";
    if (is_textual && values_.chance(40)) return part_of_text(column);
    const bool is_ordered = column != "ok";
    return comparison(column, is_ordered);
  }

  Values& values() { return values_; }

 private:
  Value operand(const std::string& column) {
    if (column == "title") return values_.text();
    if (column == "n") return values_.number();
    if (column == "ok") return values_.chance(50);
    if (column == "due") return values_.date();
    if (column == "at") return values_.moment();
    return column == "kind" ? values_.kind() : values_.tag();
  }

  Condition emptiness(const std::string& column) {
    const std::string sql = column == "tags" ? "(tags IS NULL OR tags = '[]')"
                                             : "(" + column + " IS NULL OR typeof(" + column +
                                                   ") = 'text' AND " + column + " = '')";
    const bool is_empty = values_.chance(50);
    const Value filter =
        Map{{"field", column}, {"operator", is_empty ? "is_empty" : "is_not_empty"}};
    return {filter, is_empty ? sql : "NOT " + sql};
  }

  Condition tags_condition() {
    const bool is_negated = values_.chance(50);
    std::string sql;
    Value filter;
    if (values_.chance(50)) {
      const std::string tag = values_.tag();
      sql =
          "EXISTS (SELECT 1 FROM json_each(tags) WHERE lower(value) = lower(" + quoted(tag) + "))";
      filter = triple("tags", is_negated ? "not_contains" : "contains", tag);
    } else {
      const List some{values_.tag(), values_.tag()};
      sql = "EXISTS (SELECT 1 FROM json_each(tags) WHERE value IN (" + sql_of(some[0]) + ", " +
            sql_of(some[1]) + "))";
      filter = triple("tags", is_negated ? "not_in" : "in", some);
    }
    return {filter, (is_negated ? "NOT " : "") + sql};
  }

  Condition membership(const std::string& column) {
    const List some{operand(column), operand(column)};
    const bool is_negated = values_.chance(50);
    const std::string sql =
        "ifnull(" + column + " IN (" + sql_of(some[0]) + ", " + sql_of(some[1]) + "), 0)";
    return {triple(column, is_negated ? "not_in" : "in", some), (is_negated ? "NOT " : "") + sql};
  }

  Condition part_of_text(const std::string& column) {
    const std::string part = values_.one_of({"a", "TA", "bug", "10", "%", "a_", "delta"});
    const std::string is_in = "instr(lower(" + column + "), lower(" + quoted(part) + "))";
    if (values_.chance(30)) {
      const std::string sql = "ifnull(" + is_in + " = 1, 0)";
      return {triple(column, "starts_with", part), sql};
    }
    if (values_.chance(50))
      return {triple(column, "contains", part), "ifnull(" + is_in + " > 0, 0)"};
    return {triple(column, "not_contains", part), "ifnull(" + is_in + " = 0, 1)"};
  }

  Condition comparison(const std::string& column, bool is_ordered) {
    struct Operator {
      std::string name;
      std::string sql;
    };
    static const std::vector<Operator> operators{
        {"eq", "="}, {"neq", "<>"}, {"gt", ">"}, {"gte", ">="}, {"lt", "<"}, {"lte", "<="}};
    const Operator& chosen = operators[values_.below(is_ordered ? operators.size() : 2)];
    const Value value = operand(column);
    // What does not fit its column matches no comparison but neq.
    const std::string fits =
        column == "n" ? "typeof(n) IN ('integer', 'real')" : column + " IS NOT NULL";
    const std::string holds =
        "(" + fits + " AND " + column + " " + chosen.sql + " " + sql_of(value) + ")";
    const std::string sql = chosen.name == "neq" ? "(NOT (" + fits + ") OR " + holds + ")" : holds;
    return {triple(column, chosen.name, value), sql};
  }

  Values values_;
};

// A database of random rows, and the same in SQLite.
class Twins {
 public:
  explicit Twins(std::mt19937& random) {
    Values values(random);
    made_.write("t/_schema.md", schema_text);
    for (int row = 1; row <= 300; ++row) {
      std::string fields;
      for (const char* column : {"title", "n", "ok", "due", "at", "kind", "tags"})
        fields += field_line(values, column);
      made_.write("t/row-" + std::to_string(row) + ".md", "---\n" + fields + "---\n");
    }
    auto rows = export_rows(made_.database("t"), {.limit = 1000});
    REQUIRE(rows);
    REQUIRE(write_sqlite({{"t", *std::move(rows)}}, Lists::json, file_.string()));
    sqlite_.emplace(file_.string());
  }

  Texts asked(const QueryRequest& request) {
    const auto answer = made_.database("t").query(request);
    INFO((answer ? "" : answer.error().message));
    REQUIRE(answer);
    Texts ids;
    for (const Row& row : answer->rows)
      ids.push_back(row.id);
    return ids;
  }

  List aggregated(const AggregateRequest& request) {
    const auto answer = made_.database("t").aggregate(request);
    INFO((answer ? "" : answer.error().message));
    REQUIRE(answer);
    return {answer->groups.begin(), answer->groups.end()};
  }

  // Rows of a statement, each a list of its columns.
  List told(const std::string& sql) {
    sqlite::Statement statement = sqlite_->prepare(sql);
    List rows;
    while (statement.step()) {
      List row;
      for (int column = 0; column < statement.column_count(); ++column)
        row.push_back(statement.value(column));
      rows.emplace_back(std::move(row));
    }
    return rows;
  }

 private:
  MadeWorkspace made_;
  TemporaryFolder folder_;
  std::filesystem::path file_ = std::filesystem::path(folder_.path()) / "t.sqlite";
  std::optional<sqlite::Connection> sqlite_;
};

std::size_t dose() {
  const char* given = std::getenv("NOTESDB_EXPORT_QUESTIONS");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? 400 : static_cast<std::size_t>(std::strtoul(given, nullptr, 10));
}

// Filters and the WHERE that means the same.
Condition conditions(Questions& questions) {
  List filters;
  std::string sql = "1";
  for (auto count = questions.values().below(4); count > 0; --count) {
    Condition first = questions.condition();
    if (questions.values().chance(25)) {
      Condition other = questions.condition();
      filters.emplace_back(Map{{"any", List{first.filter, other.filter}}});
      sql += " AND (" + first.sql + " OR " + other.sql + ")";
    } else {
      filters.push_back(first.filter);
      sql += " AND " + first.sql;
    }
  }
  return {std::move(filters), sql};
}

TEST_CASE("SQLite finds the rows of an export that db_query finds, in the same order",
          "[exchange]") {
  std::mt19937 random(2026);  // NOLINT(cert-msc51-cpp): the same on every run
  Twins twins(random);
  Questions questions(random);
  std::size_t found = 0;
  for (std::size_t round = 0; round < dose(); ++round) {
    const Condition where = conditions(questions);
    QueryRequest request{.filters = where.filter, .limit = 1000};
    std::string order;
    List sorts;
    for (auto count = questions.values().below(3); count > 0; --count) {
      const std::string column =
          questions.values().one_of({"title", "n", "ok", "due", "at", "kind"});
      const bool is_down = questions.values().chance(50);
      sorts.emplace_back(Map{{"field", column}, {"direction", is_down ? "desc" : "asc"}});
      order += column + (is_down ? " DESC, " : ", ");
    }
    if (!sorts.empty()) request.sort = sorts;
    if (questions.values().chance(30)) {
      request.limit = static_cast<std::int64_t>(questions.values().below(20));
      request.offset = static_cast<std::int64_t>(questions.values().below(10));
    }
    const std::string sql = "SELECT _id FROM t WHERE " + where.sql + " ORDER BY " + order +
                            "rowid LIMIT " + std::to_string(request.limit) + " OFFSET " +
                            std::to_string(request.offset);
    INFO("question " << round << ": " << to_json(request.filters) << "\n" << sql);
    Texts ids;
    for (const Value& row : twins.told(sql))
      ids.push_back(row.list().front().text());
    REQUIRE(twins.asked(request) == ids);
    found += ids.size();
  }
  CHECK(found > dose());
}

double as_number(const Value& value) {
  return value.is_null() ? -1e9 : value.number();
}

TEST_CASE("SQLite counts and sums an export as db_aggregate does", "[exchange]") {
  std::mt19937 random(31);  // NOLINT(cert-msc51-cpp): the same on every run
  Twins twins(random);
  Questions questions(random);
  const std::string number = "CASE WHEN typeof(n) IN ('integer', 'real') THEN n END";
  for (std::size_t round = 0; round < dose() / 2; ++round) {
    const Condition where = conditions(questions);
    const std::string by = questions.values().one_of({"kind", "ok", "due", "tags"});
    const AggregateRequest request{
        .filters = where.filter,
        .group_by = {by},
        .metrics = List{"count", "sum:n", "avg:n", "count_distinct:kind", "max:due"}};
    const std::string key = by == "tags" ? "tag.value" : by;
    const std::string from = by == "tags" ? "t LEFT JOIN json_each(t.tags) AS tag" : "t";
    const std::string rows =
        "SELECT " + key + " AS key, n, kind, due FROM " + from + " WHERE " + where.sql;
    const std::string sql = "SELECT key, count(*), sum(" + number + "), avg(" + number +
                            "), count(DISTINCT kind), max(due) FROM (" + rows +
                            ") GROUP BY key ORDER BY key";
    INFO("question " << round << ": by " << by << " " << to_json(request.filters) << "\n" << sql);
    const List groups = twins.aggregated(request);
    const List told = twins.told(sql);
    REQUIRE(groups.size() == told.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Map& group = groups[i].map();
      const List& row = told[i].list();
      const Value& key_of_group = group[0].value;
      CHECK((key_of_group.is_boolean() ? Value(std::int64_t{key_of_group.boolean()})
                                       : key_of_group) == row[0]);
      CHECK(group[1].value == row[1]);
      CHECK(as_number(group[2].value) == Approx(as_number(row[2])));
      CHECK(as_number(group[3].value) == Approx(as_number(row[3])));
      CHECK(group[4].value == row[4]);
      CHECK(group[5].value == row[5]);
    }
  }
}

}  // namespace
}  // namespace notesdb
