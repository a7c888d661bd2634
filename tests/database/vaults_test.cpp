// Folders of notes as other programs fill them: links by name, and what stands on them.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "core/text.h"
#include "database/backlinks.h"
#include "database/link_cache.h"
#include "database/made_workspace.h"

namespace notesdb {
namespace {

constexpr std::string_view notes_schema =
    "name: Notes\ncolumns: [{id: up, type: text}]\nrows: {include: ['**/*.md']}\n";

// The first of the vaults: names.
void write_names(MadeWorkspace& made) {
  std::filesystem::create_directories(made.root() / ".obsidian");
  made.write("_schema.yaml", notes_schema);
  made.write("Projects/Alpha.md",
             "---\nup: \"[[Beta]]\"\nsee: \"read [[Gamma]]\"\n---\n"
             "[[beta]] ![[Gamma#H|g]] `[[Delta]]` [x](Sub/My%20Note.md) [[Nowhere]] %% [[Beta]] "
             "%%\n");
  for (const char* path : {"Areas/Beta.md", "Areas/Gamma.md", "Delta.md", "Sub/My Note.md"})
    made.write(path, "");
}

std::string backlinks_of(Workspace& workspace, const std::string& row) {
  const auto links = find_backlinks(workspace, ".", row);
  REQUIRE(links);
  std::string shown;
  for (const Backlink& link : *links)
    shown += link.row_id + "." + link.field + " ";
  return shown;
}

// How often the notes of the workspace name a file.
int count_of(Workspace& workspace, const std::string& path) {
  int count = 0;
  workspace.link_cache().find_links(std::vector{path}, [&](const LinkCache::Linking& link) {
    count += static_cast<int>(link.link.count);
  });
  return count;
}

RowChange to_be_called(std::string old_id, std::string new_id) {
  RowChange change;
  change.row_id = std::move(old_id);
  change.new_row_id = std::move(new_id);
  return change;
}

Value field_of(Workspace& workspace, const std::string& row, const std::string& field) {
  QueryRequest request;
  request.filters = List{Map{{"field", "_id"}, {"operator", "eq"}, {"value", row}}};
  request.select = {field};
  const auto database = workspace.get(".");
  REQUIRE(database);
  const auto answer = (*database)->query(request);
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  REQUIRE(answer->rows.size() == 1);
  const Value* value = find_member(answer->rows[0].fields, field);
  return value == nullptr ? Value() : *value;
}

std::string texts(const Value& value) {
  std::string all;
  if (value.is_list())
    for (const Value& item : value.list())
      all += item.text() + "; ";
  return all;
}

TEST_CASE("a note that others name is pointed to whatever its folder", "[database]") {
  MadeWorkspace made;
  write_names(made);
  CHECK(backlinks_of(made.open(), "Areas/Beta") == "Projects/Alpha._body Projects/Alpha.up ");
  CHECK(backlinks_of(made.open(), "Areas/Gamma") == "Projects/Alpha._body ");
  CHECK(backlinks_of(made.open(), "Sub/My Note") == "Projects/Alpha._body ");
  CHECK(backlinks_of(made.open(), "Delta").empty());
  CHECK(count_of(made.open(), "Areas/Beta.md") == 3);
  CHECK(count_of(made.open(), "Areas/Gamma.md") == 1);
  CHECK(texts(field_of(made.open(), "Projects/Alpha", "_links")) ==
        "Areas/Beta; Areas/Gamma; Sub/My Note; ");
  CHECK(texts(field_of(made.open(), "Projects/Alpha", "_unresolved")) == "Nowhere; ");
  CHECK(texts(field_of(made.open(), "Areas/Beta", "_backlinks")) == "Projects/Alpha; ");
  CHECK(field_of(made.open(), "Projects/Alpha", "_links.count") == Value(3));
}

TEST_CASE("a new or moved file changes what links of others mean", "[database]") {
  MadeWorkspace made;
  write_names(made);
  const bool stays = GENERATE(false, true);
  if (stays) made.open().stay();
  REQUIRE(backlinks_of(made.open(), "Areas/Beta") == "Projects/Alpha._body Projects/Alpha.up ");
  made.write("Beta.md", "");
  CHECK(backlinks_of(made.open(), "Areas/Beta").empty());
  CHECK(backlinks_of(made.open(), "Beta") == "Projects/Alpha._body Projects/Alpha.up ");
  std::filesystem::rename(made.root() / "Beta.md", made.root() / "Nowhere.md");
  CHECK(backlinks_of(made.open(), "Areas/Beta") == "Projects/Alpha._body Projects/Alpha.up ");
  CHECK(backlinks_of(made.open(), "Nowhere") == "Projects/Alpha._body ");
  made.write("assets/Nowhere", "an attachment");
  std::filesystem::remove(made.root() / "Nowhere.md");
  CHECK(texts(field_of(made.open(), "Projects/Alpha", "_unresolved")).empty());
  CHECK(texts(field_of(made.open(), "Projects/Alpha", "_links")) ==
        "Areas/Beta; Areas/Gamma; Sub/My Note; assets/Nowhere; ");
}

TEST_CASE("an alias does not resolve", "[database]") {
  MadeWorkspace made;
  write_names(made);
  made.write("Delta.md", "---\naliases: [N]\n---\n");
  made.write("s.md", "[[N]]\n");
  CHECK(backlinks_of(made.open(), "Delta").empty());
  CHECK(texts(field_of(made.open(), "s", "_unresolved")) == "N; ");
}

TEST_CASE("a renamed note is named in each link's own way, and no other byte changes",
          "[database]") {
  MadeWorkspace made;
  write_names(made);
  const std::string before = made.read("Projects/Alpha.md");
  const auto alpha = [&](std::vector<std::pair<std::string, std::string>> changes) {
    std::string text = before;
    for (const auto& [old, now] : changes)
      text.replace(text.find(old), old.size(), now);
    return text;
  };
  SECTION("a name that is as unique as before stays a name") {
    REQUIRE(made.writer(".").update(to_be_called("Areas/Beta", "Areas/Beta Two")));
    CHECK(made.read("Projects/Alpha.md") == alpha({{"[[Beta]]", "[[Beta Two]]"},
                                                   {"[[beta]]", "[[Beta Two]]"},
                                                   {"[[Beta]]", "[[Beta Two]]"}}));
  }
  SECTION("escapes stay escapes") {
    REQUIRE(made.writer(".").update(to_be_called("Sub/My Note", "Sub/Your Note")));
    CHECK(made.read("Projects/Alpha.md") == alpha({{"Sub/My%20Note.md", "Sub/Your%20Note.md"}}));
  }
  SECTION("a move to another folder changes no link that goes by the name") {
    const auto written = made.writer(".").update(to_be_called("Areas/Gamma", "Old/Gamma"));
    REQUIRE(written);
    CHECK(written->references == 0);
    CHECK(made.read("Projects/Alpha.md") == before);
    CHECK(backlinks_of(made.open(), "Old/Gamma") == "Projects/Alpha._body ");
  }
  SECTION("links that would come to mean the renamed note keep their meaning") {
    const auto written = made.writer(".").update(to_be_called("Delta", "Beta"));
    REQUIRE(written);
    CHECK(written->warnings.size() == 1);
    CHECK(made.read("Projects/Alpha.md") == alpha({{"[[Beta]]", "[[Areas/Beta]]"},
                                                   {"[[beta]]", "[[Areas/Beta]]"},
                                                   {"[[Beta]]", "[[Areas/Beta]]"}}));
    CHECK(backlinks_of(made.open(), "Beta").empty());
  }
  SECTION("a name that the renamed note would take from others becomes their path") {
    made.write("Other/Gamma.md", "");
    REQUIRE(made.writer(".").update(to_be_called("Sub/My Note", "Old/Gamma")));
    CHECK(made.read("Projects/Alpha.md") == alpha({{"Sub/My%20Note.md", "Old/Gamma.md"},
                                                   {"[[Gamma]]", "[[Areas/Gamma]]"},
                                                   {"[[Gamma#H", "[[Areas/Gamma#H"}}));
  }
}

TEST_CASE("the links of a note that moves go with it", "[database]") {
  MadeWorkspace made;
  made.write("_schema.yaml", notes_schema);
  made.write("a/x.md", "[y](y.md) ![p](../img/p.png) [z](./b/z.md) [[y]] [x](x.md) [w](/c/w.md)\n");
  for (const char* path : {"a/y.md", "img/p.png", "a/b/z.md", "c/w.md"})
    made.write(path, "");
  REQUIRE(made.writer(".").update(to_be_called("a/x", "c/d/x2")));
  CHECK(made.read("c/d/x2.md") ==
        "[y](../../a/y.md) ![p](../../img/p.png) [z](../../a/b/z.md) [[y]] [x2](x2.md) "
        "[w](/c/w.md)\n");
}

TEST_CASE("a relation may name its row as a link does", "[database]") {
  MadeWorkspace made;
  made.write("people/_schema.yaml",
             "name: P\ncolumns: [{id: age, type: number}]\nrows: {include: ['**/*.md']}\n");
  made.write("people/staff/Ann B.md", "---\nage: 7\n---\n");
  made.write("other/Ann B.md", "not the one\n");
  made.write("tasks/_schema.yaml",
             "name: T\ncolumns: [{id: owner, type: relation, target: people}]\n");
  made.write("tasks/1.md", "---\nowner: \"[[ann b]]\"\n---\n");
  made.write("tasks/2.md", "---\nowner: \"[[Nobody]]\"\n---\n");
  Workspace& workspace = made.open();
  const auto links = find_backlinks(workspace, "people", "staff/Ann B");
  REQUIRE(links);
  REQUIRE(links->size() == 1);
  CHECK(links->front().field == "owner");
  const auto tasks = workspace.get("tasks");
  REQUIRE(tasks);
  const auto issues = (*tasks)->issues();
  REQUIRE(issues);
  REQUIRE(issues->size() == 1);
  CHECK(issues->front().path == "tasks/2.md");
  QueryRequest request;
  request.select = {"owner", "owner.age"};
  const auto answer = (*tasks)->query(request);
  REQUIRE(answer);
  REQUIRE(answer->rows.size() == 2);
  CHECK(answer->rows[0].fields == Map{{"owner", "[[ann b]]"}, {"owner.age", 7}});
  request.filters = List{Map{{"field", "owner"}, {"operator", "eq"}, {"value", "staff/Ann B"}}};
  const auto filtered = (*tasks)->query(request);
  REQUIRE(filtered);
  CHECK(filtered->total == 1);
  CHECK(filtered->rows[0].fields == answer->rows[0].fields);
  AggregateRequest groups;
  groups.group_by = {"owner"};
  const auto grouped = (*tasks)->aggregate(groups);
  REQUIRE(grouped);
  CHECK(grouped->groups[1][0].value == Value("staff/Ann B"));
  REQUIRE(made.writer("people").update(to_be_called("staff/Ann B", "staff/Zoe")));
  CHECK(made.read("tasks/1.md") == "---\nowner: \"[[Zoe]]\"\n---\n");
}

TEST_CASE("what a body says is there for filters, sorts and groups", "[database]") {
  MadeWorkspace made;
  made.write("_schema.yaml", notes_schema);
  made.write("P.md",
             "# P\n#work/alpha and (#no) #2024 #y2024 `#code`\n"
             "- [ ] call Ann \xF0\x9F\x93\x85 2024-05-01 \xE2\x8F\xAB\n"
             "  - [x] sub [completion:: 2024-04-30]\n- [/] half [due:: 2024-06-01]\n- [-] gone\n"
             "> * [ ] quoted\nrating:: 4.5\n[mood:: good] (k:: \"a\", \"b\")\nstd::vector\n");
  made.write("Q.md", "---\ntags: [Home, \"#work\"]\n---\n#WORK\n");
  Workspace& workspace = made.open();
  CHECK(texts(field_of(workspace, "P", "_tags")) == "work; work/alpha; y2024; ");
  CHECK(texts(field_of(workspace, "Q", "_tags")) == "Home; work; ");
  CHECK(field_of(workspace, "P", "_tasks.total") == Value(5));
  CHECK(field_of(workspace, "P", "_tasks.open") == Value(3));
  CHECK(field_of(workspace, "P", "_tasks.done") == Value(1));
  CHECK(field_of(workspace, "P", "_tasks.next_due") == Value("2024-05-01"));
  CHECK(texts(field_of(workspace, "P", "_tasks_done")) == "sub [completion:: 2024-04-30]; ");
  CHECK(field_of(workspace, "P", "_inline.rating") == Value(4.5));
  CHECK(field_of(workspace, "P", "_inline.mood") == Value("good"));
  CHECK(texts(field_of(workspace, "P", "_inline.k")) == "a; b; ");
  CHECK(field_of(workspace, "P", "_inline.std").is_null());
  const auto database = workspace.get(".");
  REQUIRE(database);
  QueryRequest request;
  request.filters = List{Map{{"field", "_tags"}, {"operator", "contains"}, {"value", "Work"}}};
  request.sort = "_tasks.open desc";
  const auto answer = (*database)->query(request);
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  REQUIRE(answer->total == 2);
  CHECK(answer->rows[0].id == "P");
  CHECK(answer->columns == std::vector<std::string>{"up"});
  AggregateRequest groups;
  groups.group_by = {"_tags"};
  const auto grouped = (*database)->aggregate(groups);
  REQUIRE(grouped);
  const bool has_two = std::ranges::any_of(grouped->groups, [](const Map& group) {
    const Value& tag = group[0].value;
    return tag.is_text() && fold_case(tag.text()) == "work" && group[1].value == Value(2);
  });
  std::string shown;
  for (const Map& group : grouped->groups)
    shown += to_display(group[0].value) + to_display(group[1].value) + " ";
  INFO(shown);
  CHECK(has_two);
  made.write("Q.md", "#home #new\n");
  CHECK(texts(field_of(workspace, "Q", "_tags")) == "home; new; ");
}

TEST_CASE("a page of Logseq is named by its title and its aliases", "[database]") {
  MadeWorkspace made;
  made.write("logseq/config.edn", "{}");
  made.write("pages/_schema.yaml", "name: Pages\ncolumns: [{id: up, type: text}]\n");
  made.write("pages/q.md", "title:: Queries\nalias:: Asking, [[Filters]]\n\n- text alias:: no\n");
  made.write("pages/a___b.md", "- [[Queries]] [[asking]] [[filters]]\n");
  made.write("pages/c.md", "- [[a/b]] [[no]]\n");
  const bool stays = GENERATE(false, true);
  if (stays) made.open().stay();
  const auto backlinks = [&](const std::string& row) {
    const auto links = find_backlinks(made.open(), "pages", row);
    REQUIRE(links);
    std::string shown;
    for (const Backlink& link : *links)
      shown += link.row_id + " ";
    return shown;
  };
  CHECK(backlinks("q") == "a___b ");
  CHECK(backlinks("a___b") == "c ");
  made.write("pages/q.md", "- text\n");
  CHECK(backlinks("q").empty());
}

TEST_CASE("a tag is a link to its page in Logseq, and nowhere else", "[database]") {
  MadeWorkspace made;
  const bool is_logseq = GENERATE(true, false);
  if (is_logseq) made.write("logseq/config.edn", "{}");
  made.write("_schema.yaml",
             "name: Pages\ncolumns: [{id: up, type: text}]\nrows: {include: ['**/*.md']}\n");
  made.write("pages/Query.md", "- text\n");
  made.write("pages/two words.md", "- text\n");
  const std::string body =
      "- #query, `#query` and #[[two words]] but a#query [x #query](y.md) #12\n";
  made.write("pages/a.md", body);
  CHECK(texts(field_of(made.open(), "pages/a", "_links")) ==
        (is_logseq ? "pages/Query; pages/two words; " : "pages/two words; "));
  CHECK(texts(field_of(made.open(), "pages/a", "_tags")) == "query; ");
  REQUIRE(made.writer(".").update(to_be_called("pages/Query", "pages/Asked often")));
  CHECK(made.read("pages/a.md") ==
        (is_logseq
             ? "- #[[Asked often]], `#query` and #[[two words]] but a#query [x #query](y.md) #12\n"
             : body));
}

TEST_CASE("a canvas names notes, and a rename changes its links and no other byte", "[database]") {
  MadeWorkspace made;
  write_names(made);
  const auto canvas = [](const std::string& file, const std::string& name) {
    return "{\r\n\t\"nodes\": [ {\"type\": \"file\", \"file\": \"Areas\\/" + file +
           "\", \"x\": 1.50},\n\t{\"type\": \"text\", \"text\": \"\\u00e9 "
           "\\ud83d\\ude00\\n\\\"see\\\" [[Delta]], "
           "![[" +
           name + "#H|\\u00e4]] and `[[Beta]]`\"}],\n\"edges\": [], \"file\": \"Areas/Beta.md\"}\n";
  };
  made.write("Board.canvas", canvas("Beta.md", "Beta"));
  CHECK(texts(field_of(made.open(), "Areas/Beta", "_backlinks")) ==
        "Board.canvas; Projects/Alpha; ");
  CHECK(texts(field_of(made.open(), "Delta", "_backlinks")) == "Board.canvas; ");
  const auto written = made.writer(".").update(to_be_called("Areas/Beta", "Areas/New \u00f6"));
  REQUIRE(written);
  CHECK(written->warnings.empty());
  // Links in texts keep all that is not the name, escapes too.
  CHECK(made.read("Board.canvas") == canvas("New \u00f6.md", "New \u00f6"));
  CHECK(texts(field_of(made.open(), "Areas/New \u00f6", "_backlinks")) ==
        "Board.canvas; Projects/Alpha; ");
}

TEST_CASE("a canvas that cannot name a row by its new name is told", "[database]") {
  MadeWorkspace made;
  write_names(made);
  made.write("Board.canvas", R"({"nodes": [{"type": "file", "file": "Areas/Beta.md"}]})");
  const std::string before = made.read("Board.canvas");
  const auto written = made.writer(".").update(to_be_called("Areas/Beta", "Areas/C#"));
  REQUIRE(written);
  REQUIRE(written->warnings.size() == 1);
  CHECK(written->warnings[0].starts_with("Board.canvas still names the row 'Areas/Beta'"));
  CHECK(made.read("Board.canvas") == before);
}

TEST_CASE("the rules of every folder are told with the marker that says so", "[database]") {
  MadeWorkspace made;
  made.write("mkdocs.yml", "");
  made.write("site/hugo.toml", "");
  made.write("site/content/a.md", "");
  const auto rules = find_all_link_rules(made.open().files(), {});
  REQUIRE(rules.size() == 2);
  CHECK(rules[0].first == ".");
  CHECK(rules[1].first == "site");
  CHECK(rules[1].second.why == "hugo.toml");
}

TEST_CASE("the setting names the rules where no marker shall", "[database]") {
  MadeWorkspace made;
  made.write("mkdocs.yml", "");
  made.write("a.md", "");
  auto rules = made.open().link_cache().rules();
  REQUIRE(rules.size() == 1);
  CHECK(rules[0].second.flavour == LinkFlavour::mkdocs);
  CHECK(rules[0].second.why == "mkdocs.yml");
}

}  // namespace
}  // namespace notesdb
