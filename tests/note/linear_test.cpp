// Reading a note takes as long as the note is, whatever it is made of.
#include <functional>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "linear_time.h"
#include "merge/sides.h"
#include "note/conflict_markers.h"
#include "note/links.h"
#include "note/note.h"

namespace notesdb {
namespace {

using Shapes = std::map<std::string, std::function<std::string(std::size_t)>>;

std::string numbered(const std::string& before, const std::string& behind, std::size_t size) {
  std::string text;
  for (int number = 0; text.size() < size; ++number)
    text += before + std::to_string(number) + behind;
  return text;
}

std::string yaml(const std::string& fields) {
  return "---\ntitle: a\n" + fields + "\n---\nText.\n";
}

std::string toml(const std::string& fields) {
  return "+++\ntitle = \"a\"\n" + fields + "\n+++\nText.\n";
}

void read_note(const std::string& bytes) {
  (void)Note::parse(bytes, NoteFormat::markdown).ok();
}

void read_links(const std::string& body) {
  std::size_t links = 0;
  scan_body(body,
            {.link = [&](const BodyLink&) { ++links; },
             .tag = [&](std::string_view) { ++links; },
             .task = [&](const BodyTask&) { ++links; }});
}

}  // namespace

TEST_CASE("fields are read in a time that grows as they do", "[note]") {
  const Shapes shapes = {
      {"flow list on one line", [](auto n) { return yaml("a: [" + fill("b, ", n) + "c]"); }},
      {"flow list of quotes", [](auto n) { return yaml("a: [" + fill("\"b\", ", n) + "c]"); }},
      {"block list", [](auto n) { return yaml("a:\n" + fill("- b\n", n)); }},
      {"brackets left open, with lines that go on",
       [](auto n) { return yaml(numbered("k", ": [\nfoo\n", n)); }},
      {"quotes left open", [](auto n) { return yaml(numbered("k", ": \"a\nfoo\n", n)); }},
      {"a conflict of many keys",
       [](auto n) {
         return yaml("<<<<<<< a\n" + numbered("k", ": 1\n", n / 2) + "=======\n" +
                     numbered("k", ": 2\n", n / 2) + ">>>>>>> b");
       }},
      {"TOML: an array on one line",
       [](auto n) { return toml("a = [" + fill("\"b\", ", n) + "]"); }},
      {"TOML: an array over lines",
       [](auto n) { return toml("a = [\n" + fill("  1.5,\n", n) + "]"); }},
      {"TOML: letters beyond ASCII",
       [](auto n) { return toml("a = [" + fill("\"\xC3\xA4\", ", n) + "]"); }},
      {"TOML: many keys", [](auto n) { return toml(numbered("k", " = 1\n", n)); }},
      {"TOML: dotted keys, one of them broken",
       [](auto n) { return toml(numbered("a.k", " = 1\n", n) + "b = ="); }},
  };
  for (const auto& [name, make] : shapes) {
    INFO(name);
    CHECK(growth(make, read_note) < max_growth);
  }
}

TEST_CASE("links of a line are found in a time that grows as it does", "[note]") {
  const Shapes shapes = {
      {"brackets", [](auto n) { return fill("[", n); }},
      {"brackets that close at the end", [](auto n) { return fill("[[a ", n) + "]]"; }},
      {"labels", [](auto n) { return fill("[a](", n); }},
      {"labels that close at the end", [](auto n) { return fill("[a](", n) + ")"; }},
      {"labels before an address", [](auto n) { return fill("[a](", n) + "a://b)"; }},
      {"places within the text", [](auto n) { return fill("[a](#", n) + ")"; }},
      {"places, as escapes", [](auto n) { return fill("[a](%23", n) + ")"; }},
      {"places before titles", [](auto n) { return fill("[a](# \"", n) + ")"; }},
      {"mail", [](auto n) { return fill("[a](mailto:", n) + ")"; }},
      {"comments", [](auto n) { return fill("<!-- [[a]] ", n); }},
      {"targets left open", [](auto n) { return fill("[a](b(", n); }},
      {"titles left open", [](auto n) { return fill("[a](b 'c ", n); }},
      {"definitions", [](auto n) { return fill("[a]: <b\n", n); }},
      {"tags and boxes", [](auto n) { return fill("- [ ] #a %% #\xC3\xA4/ \n", n); }},
      {"escapes", [](auto n) { return fill("\\[[a\\", n); }},
      {"backticks of many lengths", [](auto n) { return fill("` `` ``` a ```` ", n); }},
      {"angles", [](auto n) { return fill("[a](<#", n) + fill(" ", n / 2) + ">)"; }},
      {"backticks that fall",
       [](auto n) {
         std::string line;
         for (auto count = static_cast<std::size_t>(std::sqrt(2.0 * static_cast<double>(n)));
              count > 0;
              --count)
           line += std::string(count, '`') + " a ";
         return line;
       }},
  };
  for (const auto& [name, make] : shapes) {
    INFO(name);
    CHECK(growth(make, read_links, std::size_t{2} << 20U) < max_growth);
  }
}

TEST_CASE("conflict markers are found in a time that grows as the text does", "[note]") {
  const Shapes shapes = {
      {"opening markers", [](auto n) { return fill("<<<<<<< a\n", n); }},
      {"opening and middle markers", [](auto n) { return fill("<<<<<<< a\nx\n=======\n", n); }},
      {"whole ones", [](auto n) { return fill("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", n); }},
  };
  const auto read = [](const std::string& text) { (void)conflicts_in(text, NoteFormat::markdown); };
  for (const auto& [name, make] : shapes) {
    INFO(name);
    CHECK(growth(make, read, std::size_t{2} << 20U) < max_growth);
  }
}

TEST_CASE("a list of changed items is written in a time that grows as it does", "[note]") {
  const auto make = [](auto n) { return yaml("a:\n" + numbered("  - b", "\n", n)); };
  const auto change = [](const std::string& bytes) {
    auto note = Note::parse(bytes, NoteFormat::markdown);
    REQUIRE(note);
    List changed;
    for (const Node& item : note->find("a")->items)
      changed.push_back(item.text + "x");
    CHECK(note->set("a", std::move(changed)));
  };
  CHECK(growth(make, change, std::size_t{160} << 10U) < max_growth);
}

TEST_CASE("what looks like a link and is none leaves the links behind it", "[note]") {
  const auto links_of = [](std::string_view body) {
    std::string found;
    for_each_link(body, [&](const BodyLink& link) { found += path_meant(link) + ";"; });
    return found;
  };
  CHECK(links_of("[[a [[b]] [[c]]") == "b;c;");
  CHECK(links_of("[[#x]] [[a]]") == "a;");
  CHECK(links_of("[a](#x) [b](b.md)") == "b.md;");
  CHECK(links_of("[a](https://x.y) [b](b.md)") == "b.md;");
  CHECK(links_of("[a](mailto:x) [b](<b c.md>)") == "b c.md;");
  CHECK(links_of("[a]( \"t\") [b](b.md \"http://t\")") == "\"t\";b.md;");
  CHECK(links_of("[a](x [b](b.md)") == "b.md;");
  CHECK(links_of("[a](<#> [b](b.md)") == "b.md;");
  CHECK(links_of("`[[a]]` ``[[b]]`` ``[[c]]` [[d]]") == "c;d;");
  CHECK(links_of("x ```[[a]] `` [[b]] ` [[c]]") == "a;b;c;");
}

}  // namespace notesdb
