// Formula columns: what they compute, how they are asked for, and that what is kept of them is what a
// fresh look gives.
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/questions.h"
#include "database/schema_check.h"
#include "index/formula_columns.h"
#include "schema/document.h"

namespace notesdb {
namespace {

constexpr std::string_view shop_schema = R"(---
name: Shop
columns:
  - {id: item, type: text}
  - {id: price, type: number}
  - {id: quantity, type: number}
  - {id: due, type: date}
  - {id: any, type: json}
  - {id: tags, type: list}
  - {id: total, type: formula, expression: price * quantity}
  - {id: size, type: formula, expression: 'if(total > 100, "large", "small")'}
  - {id: is_dear, type: formula, expression: price > 50}
  - {id: week, type: formula, expression: 'if(due, due + "1w")'}
  - {id: names, type: formula, expression: '[item, file.name]'}
  - {id: mixed, type: formula, expression: 'if(is_dear, price, item)'}
  - {id: half, type: formula, expression: any / 2}
  - {id: left, type: formula, expression: (due - today()).days}
  - {id: seen, type: formula, expression: now()}
---
)";

void write_shop(const MadeWorkspace& made) {
  made.write("shop/_schema.md", shop_schema);
  made.write("shop/1.md",
             "---\nitem: Lamp\nprice: 60\nquantity: 2\ndue: 2026-01-31\nany: 5\n---\n");
  made.write("shop/2.md", "---\nitem: Vase\nprice: 12.5\nquantity: 4\nany: none\n---\n");
  made.write("shop/3.md", "---\nitem: Rug\ntotal: 7\n---\n");
}

using Ids = std::vector<std::string>;

TEST_CASE("a formula column filters and sorts as a column of its values' type",
          "[database][formula]") {
  MadeWorkspace made;
  write_shop(made);
  const Database& shop = made.database("shop");
  CHECK(ids(shop.query(where("total", "gte", 50))) == Ids{"1", "2"});
  CHECK(ids(shop.query(where("total", "is_empty", {}))) == Ids{"3"});
  CHECK(ids(shop.query(where("size", "eq", "large"))) == Ids{"1"});
  CHECK(ids(shop.query(where("is_dear", "eq", true))) == Ids{"1"});
  CHECK(ids(shop.query(where("week", "eq", "2026-02-07"))) == Ids{"1"});
  CHECK(ids(shop.query(where("names", "contains", "lamp"))) == Ids{"1"});
  CHECK(ids(shop.query(where("mixed", "gt", 10))) == Ids{"1"});
  CHECK(ids(shop.query(where("mixed", "eq", "Vase"))) == Ids{"2"});
  QueryRequest sorted;
  sorted.sort = "total:desc";
  CHECK(ids(shop.query(sorted)) == Ids{"1", "2", "3"});
  CHECK_FALSE(shop.query(where("total", "contains", "x")));
  CHECK_FALSE(shop.query(where("is_dear", "gt", true)));
}

TEST_CASE("a formula column has the type that its expression gives", "[database][formula]") {
  MadeWorkspace made;
  write_shop(made);
  const auto schema = made.database("shop").schema();
  REQUIRE(schema);
  const std::vector<std::pair<std::string, ColumnType>> types{{"total", ColumnType::number},
                                                              {"size", ColumnType::text},
                                                              {"is_dear", ColumnType::checkbox},
                                                              {"week", ColumnType::date},
                                                              {"names", ColumnType::list},
                                                              {"mixed", ColumnType::json},
                                                              {"half", ColumnType::number},
                                                              {"left", ColumnType::number},
                                                              {"seen", ColumnType::date}};
  for (const auto& [id, type] : types) {
    INFO(id);
    CHECK(schema->schema.find(id)->type == type);
    CHECK(schema->schema.find(id)->type_name == "formula");
  }
}

TEST_CASE("a row has its formulas, and what its file says under their names is not asked",
          "[database][formula]") {
  MadeWorkspace made;
  write_shop(made);
  const Database& shop = made.database("shop");
  const auto first = shop.get("1");
  REQUIRE(first);
  CHECK(*find_member(first->fields, "total") == Value(120));
  CHECK(*find_member(first->fields, "half") == Value(2.5));
  CHECK(*find_member(first->fields, "names") == Value(List{"Lamp", "1"}));
  const auto third = shop.get("3");
  REQUIRE(third);
  CHECK(find_member(third->fields, "total") == nullptr);
  const auto shown = shop.query({});
  REQUIRE(shown);
  for (const Row& row : shown->rows) {
    INFO(row.id);
    const auto alone = shop.get(row.id);
    REQUIRE(alone);
    for (const std::string id : {"total", "size", "is_dear", "week", "names", "mixed", "half"}) {
      const Value* in_list = find_member(row.fields, id);
      const Value* by_itself = find_member(alone->fields, id);
      INFO(id);
      CHECK((in_list == nullptr ? Value() : *in_list) ==
            (by_itself == nullptr ? Value() : *by_itself));
    }
  }
}

TEST_CASE("a row for which a formula fails says why and concerns no other", "[database][formula]") {
  MadeWorkspace made;
  write_shop(made);
  const Database& shop = made.database("shop");
  const auto second = shop.get("2");
  REQUIRE(second);
  const Value* half = find_member(second->fields, "half");
  REQUIRE(half != nullptr);
  REQUIRE(half->find("error") != nullptr);
  CHECK(half->find("error")->text() == "Invalid operator between String and Number");
  CHECK(ids(shop.query(where("half", "lt", 100))) == Ids{"1"});
  AggregateRequest sum;
  sum.metrics = List{Map{{"function", "sum"}, {"field", "half"}}};
  const auto answer = shop.aggregate(sum);
  REQUIRE(answer);
  CHECK(*find_member(answer->groups[0], "sum_half") == Value(2.5));
  const auto issues = shop.issues();
  REQUIRE(issues);
  REQUIRE(issues->size() == 1);
  CHECK(issues->front().rule == "formula");
  CHECK(issues->front().path == "shop/2.md");
  CHECK(issues->front().field == "half");
}

TEST_CASE("a thousand formulas in a row have their values in every answer", "[database][formula]") {
  MadeWorkspace made;
  std::string schema = "---\nname: A\ncolumns:\n- {id: n, type: number}\n";
  for (int i = 1; i <= 1'000; ++i)
    schema += "- {id: f" + std::to_string(i) + ", type: formula, expression: " +
              (i == 1 ? std::string("n") : "f" + std::to_string(i - 1)) + " + 1}\n";
  made.write("a/_schema.md", schema + "---\n");
  for (int i = 1; i <= 20; ++i)
    made.write("a/" + std::to_string(i) + ".md", "---\nn: " + std::to_string(i) + "\n---\n");
  const Database& a = made.database("a");
  CHECK(ids(a.query(where("f1000", "gt", 1'018))) == Ids{"19", "20"});
  const auto all = a.query({});
  REQUIRE(all);
  CHECK(*find_member(all->rows[4].fields, "f1000") == Value(1'005));
  CHECK(*find_member(all->rows[4].fields, "f1") == Value(6));
  made.write("a/5.md", "---\nn: 50\n---\n");
  CHECK(ids(a.query(where("f1000", "gt", 1'019))) == Ids{"5", "20"});
  const auto one = a.get("5");
  REQUIRE(one);
  CHECK(*find_member(one->fields, "f1000") == Value(1'050));
  const auto issues = a.issues();
  REQUIRE(issues);
  CHECK(issues->empty());
}

TEST_CASE("a formula over what the clock tells is not kept beyond it", "[database][formula]") {
  MadeWorkspace made;
  write_shop(made);
  const auto folder = made.database("shop").folder();
  REQUIRE(folder);
  const FormulaColumns& formulas = (*folder)->formulas();
  const auto hold = [&](std::string_view id) {
    return formulas.find(*(*folder)->schema().index_of(id))->hold;
  };
  CHECK(hold("total") == FormulaHold::row);
  CHECK(hold("names") == FormulaHold::row);
  CHECK(hold("left") == FormulaHold::day);
  CHECK(hold("seen") == FormulaHold::question);
}

// Every kind of change between questions that are asked again and again.
TEST_CASE("kept formulas are those of a fresh look after random edits", "[database][formula]") {
  MadeWorkspace made;
  write_shop(made);
  std::mt19937 random(11);
  const auto number = [&](int below) { return static_cast<int>(random() % below); };
  const auto write = [&](int row) {
    std::string fields = "item: item " + std::to_string(number(5)) + "\n";
    if (number(4) > 0) fields += "price: " + std::to_string(number(90)) + "\n";
    if (number(4) > 0) fields += "quantity: " + std::to_string(number(4)) + "\n";
    if (number(2) > 0) fields += "due: 2026-0" + std::to_string(1 + number(9)) + "-15\n";
    fields += number(2) > 0 ? "any: 8\n" : "any: text\n";
    made.write("shop/" + std::to_string(row) + ".md", "---\n" + fields + "---\n");
  };
  for (int row = 1; row <= 40; ++row)
    write(row);
  std::vector<QueryRequest> questions{where("total", "gte", 60),
                                      where("size", "eq", "small"),
                                      where("week", "gt", "2026-05-01"),
                                      where("left", "lt", 0),
                                      where("mixed", "gt", 20),
                                      where("half", "eq", 4)};
  questions[0].sort = "total:desc";
  questions[1].sort = "week, size";
  for (int round = 0; round < 60; ++round) {
    const int kind = number(6);
    const int row = 1 + number(50);
    if (kind == 0) {
      std::filesystem::remove(made.root() / ("shop/" + std::to_string(row) + ".md"));
    } else {
      write(row);
    }
    for (const QueryRequest& question : questions) {
      const auto kept = made.database("shop").query(question);
      const auto fresh_workspace = made.open_anew();
      const auto fresh = (*fresh_workspace->get("shop"))->query(question);
      REQUIRE(ids(kept) == ids(fresh));
      CHECK(kept->total == fresh->total);
      for (std::size_t i = 0; i < kept->rows.size(); ++i)
        CHECK(*find_member(kept->rows[i].fields, "size") ==
              *find_member(fresh->rows[i].fields, "size"));
    }
  }
}

TEST_CASE("a formula over rollups and one over the files of a vault follow both",
          "[database][formula]") {
  MadeWorkspace made;
  made.write("a/_schema.md",
             "---\nname: A\ncolumns:\n- {id: parts, type: relation, target: a, multiple: true}\n"
             "- {id: hours, type: number}\n"
             "- {id: all, type: rollup, relation: parts, field: twice, function: sum}\n"
             "- {id: twice, type: formula, expression: hours * 2}\n"
             "- {id: much, type: formula, expression: all > 10}\n"
             "- {id: tagged, type: formula, expression: file.hasTag(\"red\")}\n"
             "- {id: back, type: formula, expression: file.backlinks.length}\n---\n");
  made.write("a/1.md", "---\nparts: [2, 3]\n---\n#red [[2]]\n");
  made.write("a/2.md", "---\nhours: 4\n---\n");
  made.write("a/3.md", "---\nhours: 1\n---\n");
  const Database& a = made.database("a");
  CHECK(ids(a.query(where("much", "eq", true))).empty());
  CHECK(ids(a.query(where("tagged", "eq", true))) == Ids{"1"});
  CHECK(ids(a.query(where("back", "eq", 1))) == Ids{"2"});
  made.write("a/3.md", "---\nhours: 2\n---\n#red\n");
  CHECK(ids(a.query(where("much", "eq", true))) == Ids{"1"});
  CHECK(ids(a.query(where("tagged", "eq", true))) == Ids{"1", "3"});
  const auto alone = a.get("1");
  REQUIRE(alone);
  CHECK(*find_member(alone->fields, "all") == Value(12));
  CHECK(*find_member(alone->fields, "much") == Value(true));
  CHECK(*find_member(alone->fields, "tagged") == Value(true));
}

std::string problems_of(const std::string& columns) {
  const auto document =
      parse_schema("---\nname: A\ncolumns:\n" + columns + "---\n", NoteFormat::markdown);
  REQUIRE(document);
  OtherSchemas others;
  others.ids = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"a"});
  others.find = [&](const std::string& id) -> std::optional<const Schema*> {
    return id == "a" ? std::optional(&document->schema) : std::nullopt;
  };
  auto problems = check_values(document->schema);
  for (ColumnProblem& problem : check_relations(document->schema, others))
    problems.push_back(std::move(problem));
  std::string told;
  for (const ColumnProblem& problem : problems)
    told += problem.message + "\n";
  return told;
}

TEST_CASE("what is wrong with a formula is told with its place", "[database][formula]") {
  const std::string price = "- {id: price, type: number}\n";
  const auto of = [&](const std::string& expression) {
    return problems_of(price + "- {id: f, type: formula, expression: '" + expression + "'}\n");
  };
  CHECK(of("price * 2").empty());
  CHECK(of("price * (2") ==
        "the column 'f': at character 11: expected ')' to close '(' instead of the end of the "
        "expression\n");
  CHECK(of("prise * 2").find("at character 1: unknown column 'prise'; did you mean 'price'?") !=
        std::string::npos);
  CHECK(of("2 * absolute(price)").find("at character 5: unknown function 'absolute'") !=
        std::string::npos);
  CHECK(of("file.nam").find("did you mean 'name'?") != std::string::npos);
  CHECK(of("this.name").find("'this' is the note around a base") != std::string::npos);
  CHECK(of("f + 1").find("depends on itself: f -> f") != std::string::npos);
  CHECK(problems_of("- {id: f, type: formula, expression: g + 1}\n"
                    "- {id: g, type: formula, expression: f + 1}\n")
            .find("f -> g -> f") != std::string::npos);
  CHECK(problems_of("- {id: r, type: relation, target: a}\n"
                    "- {id: f, type: formula, expression: sum + 1}\n"
                    "- {id: sum, type: rollup, relation: r, field: f, function: sum}\n")
            .find("it depends on itself: f -> sum -> f") != std::string::npos);
  CHECK(problems_of("- {id: r, type: relation, target: a}\n"
                    "- {id: sum, type: rollup, from: a.r, field: sum, function: sum}\n")
            .find("it depends on itself: sum -> sum") != std::string::npos);
}

// Each ends in bounded time with a value or with a named error, and the rows beside it stand.
TEST_CASE("an expression of a mebibyte is refused with its schema", "[database][formula]") {
  MadeWorkspace made;
  made.write("a/_schema.md",
             "---\nname: A\ncolumns:\n- {id: f, type: formula, expression: '" +
                 std::string(1 << 20, '1') + "'}\n---\n");
  made.write("a/1.md", "---\n---\n");
  const auto answer = made.database("a").query({});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.find("larger than 256 KiB") != std::string::npos);
}

TEST_CASE("a hostile formula is bounded and named", "[database][formula]") {
  const std::string deep(10'000, '(');
  const std::string long_text = "\"" + std::string(200'000, 'x') + "\"";
  const std::vector<std::string> hostile{
      long_text,
      deep + "1" + std::string(10'000, ')'),
      "\"x\".repeat(1000000000)",
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]"
      ".reduce(acc + acc, \"xxxxxxxxxxxxxxxx\")",
      "/(a+)+$/.matches(\"" + std::string(5'000, 'a') + "b\")",
      "/(?=x)y/.matches(item)",
      "hostile + 1",
      "other",
      "1" + std::string(600, '+') + "1",
      "[" + std::string(300, '[') + std::string(300, ']') + "]",
      "note.item.split(\"\").map(note.item.split(\"\").map(value.repeat(1000)).join(\"\")).join("
      "\"\")"};
  for (const std::string& expression : hostile) {
    INFO(expression.substr(0, 80));
    MadeWorkspace made;
    std::string quoted;
    for (const char c : expression)
      quoted += c == '\'' ? "''" : std::string(1, c);
    made.write("a/_schema.md",
               "---\nname: A\ncolumns:\n- {id: item, type: text}\n"
               "- {id: other, type: formula, expression: hostile}\n"
               "- id: hostile\n  type: formula\n  expression: '" +
                   quoted + "'\n---\n");
    made.write("a/1.md", "---\nitem: " + std::string(2'000, 'y') + "\n---\n");
    made.write("a/2.md", "---\nitem: b\n---\n");
    const auto workspace = made.open_anew();
    const auto database = workspace->get("a");
    REQUIRE(database);
    CHECK(ids((*database)->query(where("item", "eq", "b"))) == Ids{"2"});
    const auto all = (*database)->query(where("hostile", "is_not_empty", {}));
    if (all) {
      for (const Row& row : all->rows) {
        const Value* value = find_member(row.fields, "hostile");
        REQUIRE(value != nullptr);
        const bool is_bounded = value->find("error") != nullptr || value->is_boolean() ||
                                to_display(*value).size() < (std::size_t{17} << 20);
        CHECK(is_bounded);
      }
    } else {
      CHECK_FALSE(all.error().message.empty());
    }
    CHECK((*database)->get("2"));
  }
}

}  // namespace
}  // namespace notesdb
