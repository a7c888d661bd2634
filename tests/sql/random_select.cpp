#include "sql/random_select.h"

#include <map>

namespace notesdb {
namespace {

using Texts = std::vector<std::string>;

const Texts& columns_of(const std::string& table) {
  static const std::map<std::string, Texts> columns{
      {"t",
       {"_id",
        "title",
        "Title_2",
        "n",
        "ok",
        "due",
        "kind",
        "tags",
        "who",
        "meta",
        "years",
        "\"order\""}},
      {"people", {"_id", "name", "age", "boss", "n"}},
      {"\"my-db\"", {"_id", "id", "title", "n", "at"}}};
  return columns.at(table);
}

}  // namespace

std::string SelectMaker::column() {
  const Place& place = places_[below(places_.size())];
  return place.alias + "." + one_of(columns_of(place.table));
}

std::string SelectMaker::literal() {
  static const Texts literals{"7",
                              "7.0",
                              "'7'",
                              "'7.0'",
                              "' 7'",
                              "'seven'",
                              "NULL",
                              "''",
                              "0",
                              "1",
                              "'1'",
                              "-2.5",
                              "'alpha'",
                              "'Beta'",
                              "'BETA'",
                              "'bug'",
                              "'Task'",
                              "'red'",
                              "'2026'",
                              "2026",
                              "'2026-05-14'",
                              "'p1'",
                              "'p3'",
                              "X'37'",
                              "'[]'",
                              "'true'",
                              "1e3",
                              "'1e3'",
                              "'~'",
                              "'!'",
                              "'t-10'",
                              "9223372036854775807",
                              "'10'",
                              "'p-2'",
                              "'9'",
                              "'[\"red\"]'"};
  return one_of(literals);
}

std::string SelectMaker::expression(int depth) {
  if (depth == 0 || chance(45)) return chance(75) ? column() : literal();
  const std::string inner = expression(depth - 1);
  switch (below(14)) {
    case 0: return "(" + inner + " || '-' || " + expression(depth - 1) + ")";
    case 1: return "coalesce(" + inner + ", " + literal() + ")";
    case 2: return "length(" + inner + ")";
    case 3: return "upper(" + inner + ")";
    case 4: return "(" + inner + " + 1)";
    case 5: return "(" + inner + " * 2)";
    case 6: return "CAST(" + inner + " AS " + one_of({"TEXT", "INTEGER", "REAL", "NUMERIC"}) + ")";
    case 7: return "typeof(" + inner + ")";
    case 8:
      return "CASE WHEN " + condition(depth - 1) + " THEN " + inner + " ELSE " + literal() + " END";
    case 9: return "substr(" + inner + ", 1, 2)";
    case 10: return "nullif(" + inner + ", " + literal() + ")";
    case 11: return "+" + inner;
    case 12: return "strftime('%m', " + inner + ")";
    default: return "(" + inner + " " + one_of({"=", "<", "IS", "IS NOT"}) + " " + literal() + ")";
  }
}

std::string SelectMaker::comparison() {
  static const Texts operators{"=", "=", "=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"};
  const std::string left = chance(80) ? column() : expression(1);
  const std::string right = chance(55) ? literal() : chance(60) ? column() : expression(1);
  std::string text = left + " " + one_of(operators) + " " + right;
  if (chance(8)) text += " COLLATE NOCASE";
  return chance(15) ? right + " " + one_of(operators) + " " + left : text;
}

std::string SelectMaker::subquery_condition() {
  const std::string table = one_of({"t", "people", "\"my-db\""});
  const std::string inner = one_of(columns_of(table));
  switch (below(4)) {
    case 3: {
      const std::string second = one_of(columns_of(table));
      return "(" + column() + ", " + column() + ")" + (chance(30) ? " NOT" : "") + " IN (SELECT " +
             inner + ", " + second + " FROM " + table + ")";
    }
    case 0:
      return column() + (chance(30) ? " NOT" : "") + " IN (SELECT " + inner + " FROM " + table +
             ")";
    case 1:
      return std::string(chance(30) ? "NOT " : "") + "EXISTS (SELECT 1 FROM " + table +
             " e WHERE e." + inner + " " + one_of({"=", "<", "IS"}) + " " + column() + ")";
    default:
      return column() + " " + one_of({"=", ">", "<>"}) + " (SELECT max(" + inner + ") FROM " +
             table + ")";
  }
}

std::string SelectMaker::condition(int depth) {
  if (depth > 0 && chance(35)) {
    return "(" + condition(depth - 1) + one_of({" AND ", " AND ", " OR "}) + condition(depth - 1) +
           ")";
  }
  switch (below(12)) {
    case 0: return column() + " IS NULL";
    case 1: return column() + " IS NOT NULL";
    case 2: return column() + " BETWEEN " + literal() + " AND " + literal();
    case 3:
      return column() + (chance(30) ? " NOT" : "") + " IN (" + literal() + ", " + literal() + ", " +
             literal() + ")";
    case 4:
      return column() + " LIKE " +
             one_of({"'a%'", "'%e%'", "'2026-0_-1%'", "'p_'", "'7%'", "'BETA%'"});
    case 5: return column() + " GLOB " + one_of({"'a*'", "'*[0-9]*'", "'p?'", "'B*'"});
    case 6: return "NOT " + comparison();
    case 7: return depth > 0 ? subquery_condition() : comparison();
    default: return comparison();
  }
}

std::string SelectMaker::join() {
  Place place{one_of({"t", "people", "\"my-db\""}), "j" + std::to_string(places_.size())};
  const std::string kind =
      one_of({" JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "});
  const std::string left = column();
  places_.push_back(place);
  std::string on = left + one_of({" = ", " = ", " = ", " IS ", " < "}) + place.alias + "." +
                   one_of(columns_of(place.table));
  if (place.table == "people" && chance(50) && places_.front().table == "t")
    on = places_.front().alias + ".who = " + place.alias + "._id";
  if (chance(20)) on += " AND " + condition(0);
  return kind + place.table + " " + place.alias + " ON " + on;
}

std::string SelectMaker::from() {
  places_ = {{one_of({"t", "t", "people", "\"my-db\""}), "a"}};
  std::string text = " FROM " + places_.front().table + " a";
  if (chance(45)) text += join();
  if (places_.size() == 2 && chance(25)) text += join();
  return text;
}

std::string SelectMaker::aggregate() {
  switch (below(8)) {
    case 0: return "count(*)";
    case 1: return "count(" + column() + ")";
    case 2: return "count(DISTINCT " + column() + ")";
    case 3: return "min(" + column() + ")";
    case 4: return "max(" + column() + ")";
    case 5: return "total(" + column() + ")";
    case 6: return "sum(" + column() + ") FILTER (WHERE " + condition(0) + ")";
    default: return "avg(" + column() + ")";
  }
}

std::string SelectMaker::window() {
  const std::string id = places_.front().alias + "._id";
  const std::string over = " OVER (" + (chance(50) ? "PARTITION BY " + column() + " " : "") +
                           "ORDER BY " +
                           (chance(60) ? column() + one_of({"", " DESC"}) + ", " : "") + id;
  switch (below(5)) {
    case 0: return "row_number()" + over + ")";
    case 1: return "lag(" + column() + ")" + over + ")";
    case 2: return "count(" + column() + ")" + over + " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)";
    case 3: return "max(" + column() + ")" + over + ")";
    default: return "first_value(" + column() + ")" + over + ")";
  }
}

std::string SelectMaker::select_list(std::size_t& columns) {
  if (chance(12)) {
    columns = 0;  // all of them
    return "*";
  }
  columns = 1 + below(4);
  std::string list;
  for (std::size_t i = 0; i < columns; ++i)
    list += (list.empty() ? "" : ", ") + expression(2);
  return list;
}

// An order that ends with all that is shown, where there is a limit.
std::string SelectMaker::tail(std::size_t columns, RandomSelect& made) {
  std::string text;
  made.is_ordered = columns > 0 && chance(60);
  if (!made.is_ordered) return text;
  text += " ORDER BY ";
  if (chance(70)) text += column() + one_of({"", " ASC", " DESC", " DESC NULLS LAST"}) + ", ";
  for (std::size_t i = 1; i <= columns; ++i)
    text += (i == 1 ? "" : ", ") + std::to_string(i) + one_of({"", " DESC"});
  if (chance(50)) text += " LIMIT " + std::to_string(below(20));
  if (text.find(" LIMIT ") != std::string::npos && chance(40))
    text += " OFFSET " + std::to_string(below(6));
  return text;
}

RandomSelect SelectMaker::plain() {
  RandomSelect made;
  const std::string source = from();
  std::size_t columns = 0;
  made.sql =
      std::string("SELECT ") + (chance(12) ? "DISTINCT " : "") + select_list(columns) + source;
  const bool is_distinct = made.sql.starts_with("SELECT DISTINCT");
  if (chance(80)) made.sql += " WHERE " + condition(2);
  std::string order = tail(is_distinct ? 0 : columns, made);
  // Without a tie-break one row of a key: what comes first is the key's to say.
  if (order.empty() && places_.size() == 1 && columns > 0 && !is_distinct && chance(40)) {
    order = " ORDER BY a._id" + one_of({"", " DESC"}) + " LIMIT " + std::to_string(1 + below(9));
    made.is_ordered = true;
  }
  made.sql += order;
  return made;
}

RandomSelect SelectMaker::grouped() {
  RandomSelect made;
  const std::string source = from();
  const std::string key = chance(70) ? column() : expression(1);
  const std::string number = aggregate();
  made.sql = "SELECT " + key + ", " + number + source;
  if (chance(50)) made.sql += " WHERE " + condition(1);
  if (chance(85))
    made.sql += " GROUP BY " + key + (chance(25) ? ", " + column() : "");
  else
    made.sql = "SELECT " + number + ", " + aggregate() + source;
  if (made.sql.find("GROUP BY") != std::string::npos && chance(30))
    made.sql += " HAVING count(*) > 1";
  if (chance(50)) {
    made.sql += " ORDER BY 2 DESC, 1";
    made.is_ordered = true;
  }
  return made;
}

RandomSelect SelectMaker::windowed() {
  places_ = {{one_of({"t", "people", "\"my-db\""}), "a"}};
  const std::string table = places_.front().table;
  RandomSelect made;
  made.sql = "SELECT a._id, " + window() + ", " + column() + " FROM " + table + " a";
  if (chance(50)) made.sql += " WHERE " + condition(1);
  made.sql += " ORDER BY 1";
  made.is_ordered = true;
  return made;
}

RandomSelect SelectMaker::with_tables() {
  RandomSelect inner = chance(50) ? grouped() : plain();
  RandomSelect made;
  if (chance(60)) {
    made.sql = "WITH c AS (" + inner.sql + ") SELECT * FROM c";
    return made;
  }
  places_ = {{"people", "a"}};
  made.sql =
      "WITH RECURSIVE up(id, boss, depth) AS (SELECT _id, boss, 0 FROM people WHERE boss IS NOT "
      "NULL "
      "UNION SELECT p._id, p.boss, depth + 1 FROM people p JOIN up ON p._id = up.boss WHERE depth "
      "< 4) "
      "SELECT up.*, a.age FROM up JOIN people a ON a._id = up.id WHERE " +
      condition(1);
  return made;
}

RandomSelect SelectMaker::compound() {
  RandomSelect made;
  places_ = {{"t", "a"}};
  const std::string first = "SELECT " + column() + " FROM t a WHERE " + condition(1);
  places_ = {{"people", "a"}};
  made.sql = first + one_of({" UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT "}) + "SELECT " +
             column() + " FROM people a WHERE " + condition(1);
  return made;
}

RandomSelect SelectMaker::of_lists() {
  RandomSelect made;
  places_ = {{"t", "a"}};
  made.sql =
      "SELECT e.value, count(*) FROM t a, json_each(a.tags) e WHERE json_valid(a.tags) AND " +
      condition(1) + " GROUP BY 1";
  return made;
}

RandomSelect SelectMaker::make() {
  switch (below(10)) {
    case 0:
    case 1: return grouped();
    case 2: return windowed();
    case 3: return with_tables();
    case 4: return compound();
    case 5: return of_lists();
    default: return plain();
  }
}

}  // namespace notesdb
