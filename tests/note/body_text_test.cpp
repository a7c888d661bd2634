// What counts as a link, a tag or a task in a body.
#include "note/body_text.h"

#include <array>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "note/links.h"

namespace notesdb {
namespace {

std::string links_of(std::string_view body) {
  std::string found;
  scan_body(body, {.link = [&](const BodyLink& link) {
              found += link.is_embed ? "!" : "";
              found += path_meant(link);
              if (!link.subpath.empty()) found += "#" + std::string(link.subpath);
              if (!link.text.empty()) found += "|" + std::string(link.text);
              found += "; ";
            }});
  return found;
}

std::string tags_of(std::string_view body) {
  std::string found;
  scan_body(body, {.tag = [&](std::string_view tag) { found += std::string(tag) + " "; }});
  return found;
}

std::string tasks_of(std::string_view body) {
  std::string found;
  scan_body(body, {.task = [&](const BodyTask& task) {
              found += std::to_string(task.line) + std::string(task.box) + ":" +
                       std::string(task.text) + "; ";
            }});
  return found;
}

TEST_CASE("wiki links are read as the editors of vaults read them", "[note]") {
  CHECK(links_of("[[Note]] [[Note.md]] [[folder/Note]]") == "Note; Note.md; folder/Note; ");
  CHECK(links_of("[[Sq]uare]] [[a [[b]] c]] [[]] [[a\n]]") == "Sq]uare; b; ");
  CHECK(links_of("[[N#H]] [[N#H#Sub]] [[N#^id|x]]") == "N#H; N#H#Sub; N#^id|x; ");
  CHECK(links_of("[[Note|text]] [[a#b||c]] [[|x]]") == "Note|text; a#b||c; |x; ");
  CHECK(links_of("| [[Note\\|text]] | b |") == "Note|text; ");
  CHECK(links_of("![[Note]] ![[a.png|100x80]] !\\[[b]]") == "!Note; !a.png|100x80; ");
  CHECK(links_of("[[#H]] [[#^id]] [t](#h) [[https://x.org]]").empty());
  CHECK(links_of("# [[a]]\n> [!note] [[b]]\n[^1]: [[c]]\n- [ ] [[d]]\n%% [[e]] %%\n") ==
        "a; b; c; d; e; ");
}

TEST_CASE("markdown links are read with their escapes", "[note]") {
  CHECK(links_of("[t](My%20Note.md) [t](<my note.md>) [t](a.md \"title\") [t]()") ==
        "My Note.md|t; my note.md|t; a.md|t; ");
  CHECK(links_of("[t](a.md#Heading%20x) [t](enc%23oded.md)") ==
        "a.md#Heading%20x|t; enc#oded.md|t; ");
  CHECK(links_of("[t](a_(b).md) [t](a\\).md) [a b](c d.md)") == "a_(b).md|t; a).md|t; ");
  CHECK(links_of("[![alt](i.png)](Note.md)") == "!i.png|alt; Note.md|![alt](i.png); ");
  CHECK(
      links_of("[t](https://x.org/a.md) [t](mailto:a@b) [t](//host/a) [t](obsidian://x)").empty());
  CHECK(links_of("[t][r] and [r]\n\n[r]: My%20Note.md \"title\"\n[^r]: no.md\n[s]: <b c.md>\n") ==
        "My Note.md; b c.md; ");
  CHECK(links_of("[note]: this is a sentence\n").empty());
  CHECK(links_of("[t]([[Page]]) [[b]]") == "Page; b; ");
}

TEST_CASE("shortcodes that name a page are links", "[note]") {
  CHECK(links_of("[t]({{< ref \"x.md#a\" >}}) {{% relref \"/posts/x\" %}} {{<ref y>}}") ==
        "x.md#a; /posts/x; y; ");
  CHECK(links_of("[t]({% link _posts/2016-07-26-name.md %}) {%- post_url 2016-07-26-name -%}") ==
        "_posts/2016-07-26-name.md; 2016-07-26-name; ");
  CHECK(links_of("of the\nrelease]({% link x.md %}) {{% ref y %}}") == "x.md; y; ");
  CHECK(
      links_of("{{< figure src=\"a.png\" >}} {% include x.md %} {% link {{ page.x }} %}").empty());
  CHECK(links_of("{{< ref \"open\n`{{< ref \"code\" >}}` {{< ref path=\"p\" >}}").empty());
}

TEST_CASE("code, comments and escapes hold no link", "[note]") {
  CHECK(links_of("`[[a]]` ``[[b]] ` ``[[c]]") == "c; ");
  CHECK(links_of("```\n[[a]]\n````\n[[b]]\n~~~\n```\n[[c]]\n~~~\n[[d]]\n") == "b; d; ");
  CHECK(links_of("- ```js\n  [[a]]\n  ```\n> ~~~\n> [[b]]\n> ~~~\n- [[c]]") == "c; ");
  CHECK(links_of("<!-- [[a]] --> [[b]] <!--\n[[c]]\n--> [[d]]\n<!-- [[e]]") == "b; d; e; ");
  CHECK(links_of("\\[\\[a\\]\\] \\[b](c.md) \\\\[[d]]") == "d; ");
}

TEST_CASE("a tag stands behind white space and is more than a number", "[note]") {
  CHECK(tags_of("#work/alpha and (#no) #2024 #y2024 `#code` #a-b_c/") == "work/alpha y2024 a-b_c ");
  CHECK(tags_of("a#b https://x.org/#y [t](#z) [[n#h]] #\xC3\xA4\xE6\xB8\xAF!x #1990s") ==
        "\xC3\xA4\xE6\xB8\xAF 1990s ");
  CHECK(tags_of("# Title\n## Two #t\n\\#no \\<#yes %% #in %%\n```\n#code\n```\n<!-- #c -->") ==
        "t yes in ");
}

TEST_CASE("a task is a list item with a box of one letter", "[note]") {
  CHECK(tasks_of("- [ ] a\n  - [x] b\n* [/] c\n1. [-] d\n> + [ ] e\n- [] f\n- [xx] g\n[ ] h\n") ==
        "0 :a; 1x:b; 2/:c; 3-:d; 4 :e; ");
  CHECK(tasks_of("```\n- [ ] a\n```\n%%\n- [ ] b\n%%\n<!--\n- [ ] c\n-->\n- [\xE2\x9C\x93] d\n") ==
        "9\xE2\x9C\x93:d; ");
}

// What is passed over where only links are wanted may neither hide a link nor begin one.
TEST_CASE("links are the same whatever else is looked for", "[note]") {
  constexpr std::array pieces{"[[a]]",
                              "[[",
                              "]]",
                              "[t](b.md)",
                              "[r]: c.md",
                              "`",
                              "```\n",
                              "<!--",
                              "-->",
                              "\\",
                              "#tag",
                              "(k:: v)",
                              "k:: ",
                              "%%",
                              "%",
                              "{{< ref \"d\" >}}",
                              "{%",
                              "<",
                              ">",
                              "\n",
                              "\n\n",
                              "- [ ]",
                              " ",
                              "| ",
                              "word",
                              "![",
                              "](",
                              "{% link e.md %}",
                              "https://x.org",
                              "caf\xC3\xA9"};
  const auto beside_tags = [](std::string_view body) {
    std::string found;
    scan_body(body,
              {.link = [&](const BodyLink& link) { found += path_meant(link) + "; "; },
               .tag = [](std::string_view) {}});
    return found;
  };
  const auto alone = [](std::string_view body) {
    std::string found;
    scan_body(body, {.link = [&](const BodyLink& link) { found += path_meant(link) + "; "; }});
    return found;
  };
  std::minstd_rand chance(7);
  std::size_t with_links = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string body;
    for (std::size_t count = chance() % 12; count > 0; --count)
      body += pieces[chance() % pieces.size()];
    INFO(body);
    REQUIRE(alone(body) == beside_tags(body));
    if (!alone(body).empty()) ++with_links;
  }
  CHECK(with_links > 1'000);
}

TEST_CASE("a property is a link where all of its text is one", "[note]") {
  const auto note = Note::parse(
      "---\nup: \"[[Beta]]\"\nsee: \"read [[Gamma]]\"\nall: [\"[[a|b]]\", x]\nbare: [[Delta]]\n"
      "markdown: \"[t](x.md)\"\n---\n",
      NoteFormat::markdown);
  REQUIRE(note);
  std::string found;
  for_each_field_link(*note, [&](const FieldLink& link) {
    found += link.key + (link.is_quoted ? "=" : "~") + link.text + " ";
  });
  CHECK(found == "up=[[Beta]] all=[[a|b]] bare~[[Delta]] ");
}

TEST_CASE("a link is written with another path as it was written", "[note]") {
  const auto rewritten = [](std::string_view text, std::string_view path) {
    std::string result;
    scan_body(text, {.link = [&](const BodyLink& link) { result = with_path(link, path); }});
    return result;
  };
  CHECK(rewritten("[[a#h|b]]", "c d") == "[[c d#h|b]]");
  CHECK(rewritten("|[[a\\|b]]|", "c") == "[[c\\|b]]");
  CHECK(rewritten("[t](a.md#h \"x\")", "c d.md") == "[t](c%20d.md#h \"x\")");
  CHECK(rewritten("[t](<a.md>)", "c d.md") == "[t](<c d.md>)");
  CHECK(rewritten("[r]: a.md 'x'", "c#d.md") == "[r]: c%23d.md");
  CHECK(rewritten("[[a]]", "c#d") == "[c#d](c%23d)");
}

}  // namespace
}  // namespace notesdb
