// A vault over rows that the index knows is the vault over the files alone.
#include "database/vault.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/snapshot.h"
#include "expression/evaluation.h"

namespace notesdb {
namespace {

constexpr std::string_view schema = R"(---
name: Things
columns:
  - {id: title, type: text}
  - {id: count, type: number}
  - {id: done, type: checkbox}
  - {id: due, type: date}
  - {id: kind, type: select, options: [a, b]}
  - {id: tags, type: list}
  - {id: any, type: json}
  - {id: friend, type: relation, target: things}
  - {id: twice, type: formula, expression: count * 2}
  - {id: friends, type: rollup, from: things.friend, function: count}
---
)";

const std::vector<std::string> odd_fields{
    "title: 012\ncount: 012\ndone: yes\ndue: 2026-01-31",
    "title: \"7\"\ncount: \"7\"\ndone: \"true\"\ndue: \"2026-01-31 09:05\"",
    "title: 1.10\ncount: 1.10\ndone: true\ndue: soon",
    "title: true\ncount: many\ndone: 1\nkind: c",
    "title: ~\ncount: null\ndone:\ndue: ''",
    "title: '[[Ann|her]]'\nany: '[[sub/Ann]]'\nfriend: '[[t-1]]'",
    "tags: [a, '[[Ann]]', 2, 2026-01-31]\nany: [1, [2, 3], {a: b}]",
    "tags: a, b\nany: {deep: {deeper: [1, '2']}, when: 2026-02-03}",
    "tags:\n  - a\n  - 'it''s'\n  -\nany:\n  k: |\n    text\n    more",
    "other: 5\nnote: {a: 1}\ncount: 3",
    "twice: 9\nfriends: 7\ncount: 2",
    "count: 1\ncount: 2\ntitle: given twice",
    "title: broken: here\ncount: 4",
    "tags: [never closed\ncount: 5",
    "title: \"escaped \\u00e9 \\\"quote\\\"\"\ncount: 1e3",
    "due: 2026-01-31T09:05:00+02:00\ncount: -0.5\ndone: FALSE",
};

std::string told(const expression::Value& value, const expression::File& file) {
  const expression::Environment environment{.zone = &expression::system_time_zone()};
  class Nothing : public expression::Subject {
   public:
    expression::Value property(std::string_view /*name*/) const override { return {}; }
    expression::Value properties() const override { return {}; }
    expression::FilePointer file() const override { return nullptr; }
  };
  const Nothing nothing;
  expression::Evaluation evaluation(environment, nothing);
  const auto answer = evaluation.answer_of(value);
  return std::string(name_of(value.kind())) + " " +
         (answer ? to_display(*answer) : answer.error().message) +
         (value.is(expression::Kind::link) && value.link().source != file.path() ? " elsewhere"
                                                                                 : "");
}

TEST_CASE("a vault over rows that the index knows is the one over their files",
          "[database][vault]") {
  MadeWorkspace made;
  made.write("things/_schema.md", schema);
  int number = 0;
  for (const std::string& fields : odd_fields) {
    ++number;
    const std::string name = "things/t-" + std::to_string(number);
    made.write(name + ".md", "---\n" + fields + "\n---\nText with #tag and [[t-1]].\n");
    made.write(name + "0.md", "---\r\n" + fields + "\r\n---\r\n");
    made.write("things/below/" + std::to_string(number) + ".md", "---\n" + fields + "\n---\n");
  }
  made.write("things/toml.md", "+++\ntitle = \"x\"\ncount = 3\nother = [1, 2]\n+++\nText\n");
  made.write("things/none.md", "No front matter, a #tag.\n");
  made.write("things/unclosed.md", "---\ntitle: a\n");
  made.write("things/README.md", "---\ntitle: no row\n---\n");
  made.write("things/picture.png", "png");
  made.write("Ann.md", "---\ncount: 1\n---\n[[t-2]]\n");
  made.write("sub/Ann.md", "---\ntitle: other\n---\n");

  const auto workspace = made.open_anew();
  const auto things = workspace->get("things");
  REQUIRE(things);
  const expression::TimeZone& zone = expression::system_time_zone();
  for (const Bodies bodies : {Bodies::read, Bodies::ignored}) {
    const Vault of_files(workspace->files(), bodies, zone);
    std::vector<std::unique_ptr<Snapshot>> rows;
    auto snapshot = (*things)->snapshot();
    REQUIRE(snapshot);
    rows.push_back(*std::move(snapshot));
    const Vault of_rows(workspace->files(), bodies, zone, std::move(rows));
    REQUIRE(of_rows.files().size() == of_files.files().size());
    int known = 0;
    for (std::size_t i = 0; i < of_files.files().size(); ++i) {
      const VaultFile& expected = *of_files.files()[i];
      const VaultFile& found = *of_rows.files()[i];
      INFO(expected.path());
      REQUIRE(found.path() == expected.path());
      CHECK(of_rows.at(expected.path()).get() == &found);
      CHECK(found.size() == expected.size());
      CHECK(found.modified().milliseconds == expected.modified().milliseconds);
      CHECK(found.is_readable() == expected.is_readable());
      known += found.row() ? 1 : 0;
      for (const char* name : {"title",
                               "count",
                               "done",
                               "due",
                               "kind",
                               "tags",
                               "any",
                               "friend",
                               "twice",
                               "friends",
                               "other",
                               "note",
                               "missing"}) {
        INFO(name);
        CHECK(told(found.property(name), found) == told(expected.property(name), expected));
      }
      CHECK(told(found.properties(), found) == told(expected.properties(), expected));
      CHECK(told(found.tags(), found) == told(expected.tags(), expected));
      CHECK(told(found.links(), found) == told(expected.links(), expected));
      CHECK(told(found.backlinks(), found) == told(expected.backlinks(), expected));
    }
    CHECK(known > 30);
  }
}

}  // namespace
}  // namespace notesdb
