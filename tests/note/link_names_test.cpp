// Which file a link means, and how a link to a file is written.
#include "note/link_names.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

LinkNames names_of(const std::vector<std::string>& paths,
                   LinkFlavour flavour = LinkFlavour::obsidian) {
  LinkNames names;
  for (const std::string& path : paths)
    names.add(path);
  names.set_rules(".", {.flavour = flavour});
  return names;
}

std::string wiki(const LinkNames& names, std::string_view path, std::string_view source) {
  const auto meaning = names.resolve(path, LinkForm::wiki, source);
  return meaning.is_found() ? names.path(meaning.file) + (meaning.others.empty() ? "" : " ?") : "";
}

std::string markdown(const LinkNames& names, std::string_view path, std::string_view source) {
  const auto meaning = names.resolve(path, LinkForm::markdown, source);
  return meaning.is_found() ? names.path(meaning.file) : "";
}

TEST_CASE("a name means its file in any folder, and of several one by rule", "[note]") {
  std::vector<std::string> paths{"zzzz/Note.md", "a/b/Note.md", "b/Note.md", "zzzz/s.md"};
  CHECK(wiki(names_of(paths), "Note", "zzzz/s.md") == "zzzz/Note.md");
  CHECK(wiki(names_of(paths), "Note", "zzzz/deep/s.md") == "b/Note.md ?");
  std::erase(paths, "b/Note.md");
  CHECK(wiki(names_of(paths), "Note", "zzzz/deep/s.md") == "a/b/Note.md ?");
  CHECK(wiki(names_of(paths), "b/Note", "zzzz/deep/s.md") == "a/b/Note.md");
  CHECK(wiki(names_of(paths), "/b/Note", "zzzz/deep/s.md").empty());
  paths.emplace_back("Note.md");
  for (const std::string_view source : {"zzzz/s.md", "zzzz/deep/s.md", "x.md"})
    CHECK(wiki(names_of(paths), "Note", source) == "Note.md");
}

TEST_CASE("letter case and composition do not count, a written ending does", "[note]") {
  const LinkNames names =
      names_of({"a/Cafe\xCC\x81.md", "Ext.md", "x/Note.1.md", "i/a.png", "q/A.md", "q/a.md"});
  CHECK(wiki(names, "Caf\xC3\xA9", "s.md") == "a/Cafe\xCC\x81.md");
  CHECK(wiki(names, "CAF\xC3\x89", "s.md") == "a/Cafe\xCC\x81.md");
  CHECK(wiki(names, "Ext.MD", "s.md") == "Ext.md");
  CHECK(wiki(names, "Note.1", "s.md") == "x/Note.1.md");
  CHECK(wiki(names, "Note", "s.md").empty());
  CHECK(wiki(names, "a.png", "s.md") == "i/a.png");
  CHECK(wiki(names, "q/a", "s.md") == "q/a.md");
  CHECK(wiki(names, "q/A", "s.md") == "q/A.md");
}

TEST_CASE("markdown links begin at the root in a vault and at the note elsewhere", "[note]") {
  const std::vector<std::string> paths{"Sub/My Note.md", "My Note.md", "Sub/s.md", "Other.md"};
  const LinkNames vault = names_of(paths);
  CHECK(markdown(vault, "My Note.md", "Sub/s.md") == "My Note.md");
  CHECK(markdown(vault, "Sub/My Note.md", "Sub/s.md") == "Sub/My Note.md");
  CHECK(markdown(vault, "../Other", "Sub/s.md") == "Other.md");
  const LinkNames plain = names_of(paths, LinkFlavour::plain);
  CHECK(markdown(plain, "My Note.md", "Sub/s.md") == "Sub/My Note.md");
  CHECK(markdown(plain, "Other.md", "Sub/s.md") == "Other.md");
  const LinkNames site = names_of(paths, LinkFlavour::mkdocs);
  CHECK(markdown(site, "My Note.md", "x/s.md") == "My Note.md");
  CHECK(markdown(site, "Note.md", "x/s.md").empty());
}

TEST_CASE("the root of a vault need not be that of the workspace", "[note]") {
  LinkNames names;
  for (const char* path : {"content/a/Note.md", "content/b/s.md", "Note.md", "other/a/Note.md"})
    names.add(path);
  names.set_rules("content", {.flavour = LinkFlavour::obsidian, .root = "content"});
  CHECK(wiki(names, "a/Note", "content/b/s.md") == "content/a/Note.md");
  CHECK(wiki(names, "/a/Note", "content/b/s.md") == "content/a/Note.md");
  CHECK(wiki(names, "Note", "other/s.md") == "Note.md");
}

TEST_CASE("sites name a page by its folder, and Zola and Dendron have forms of their own",
          "[note]") {
  LinkNames hugo = names_of({"content/posts/x/index.md", "content/y.md"}, LinkFlavour::hugo);
  CHECK(markdown(hugo, "/posts/x", "content/y.md") == "content/posts/x/index.md");
  CHECK(markdown(hugo, "posts/x/index.md", "content/y.md") == "content/posts/x/index.md");
  const auto shortcode = [](const LinkNames& names, std::string_view path) {
    const auto meaning = names.resolve(path, LinkForm::shortcode, "content/y.md");
    return meaning.is_found() ? names.path(meaning.file) : "";
  };
  CHECK(shortcode(hugo, "/posts/x") == "content/posts/x/index.md");
  CHECK(shortcode(hugo, "x") == "content/posts/x/index.md");
  CHECK(shortcode(hugo, "no.md").empty());
  const LinkNames jekyll = names_of({"_posts/2016-07-26-name.md"}, LinkFlavour::jekyll);
  CHECK(shortcode(jekyll, "_posts/2016-07-26-name.md") == "_posts/2016-07-26-name.md");
  CHECK(shortcode(jekyll, "2016-07-26-name") == "_posts/2016-07-26-name.md");
  CHECK(shortcode(names_of({"x.md"}), "x.md").empty());
  LinkNames zola = names_of({"content/blog/x.md"}, LinkFlavour::zola);
  CHECK(markdown(zola, "@/blog/x.md", "content/y.md") == "content/blog/x.md");
  BodyLink link;
  REQUIRE(scan_whole_link("[[shown|a.b#c]]", link));
  link = as_written_by(LinkFlavour::dendron, link);
  CHECK(link.path == "a.b");
  CHECK(link.subpath == "c");
  CHECK(link.text == "shown");
}

TEST_CASE("a page of Logseq has more than one name", "[note]") {
  LinkNames graph = names_of({"pages/a___b.md", "pages/Queries.md"}, LinkFlavour::logseq);
  graph.add_alias("pages/Queries.md", "Advanced Queries");
  CHECK(wiki(graph, "a/b", "pages/x.md") == "pages/a___b.md");
  CHECK(wiki(graph, "advanced queries", "pages/x.md") == "pages/Queries.md");
  graph.remove_aliases("pages/Queries.md");
  CHECK(wiki(graph, "advanced queries", "pages/x.md").empty());
  LinkNames vault = names_of({"pages/Queries.md"});
  vault.add_alias("pages/Queries.md", "Q");
  CHECK(wiki(vault, "Q", "pages/x.md").empty());
}

TEST_CASE("a removed file leaves its name to others", "[note]") {
  LinkNames names = names_of({"a/Note.md", "b/c/Note.md"});
  CHECK(wiki(names, "Note", "s.md") == "a/Note.md ?");
  names.remove("a/Note.md");
  CHECK(wiki(names, "Note", "s.md") == "b/c/Note.md");
  names.remove("b/c/Note.md");
  CHECK(wiki(names, "Note", "s.md").empty());
  names.add("Note.md");
  CHECK(wiki(names, "note", "s.md") == "Note.md");
}

TEST_CASE("a path for a link is of the kind that it had", "[note]") {
  const auto renamed = [](LinkFlavour flavour,
                          std::string_view written,
                          LinkForm form,
                          std::string_view source,
                          std::string_view old,
                          std::string_view now) {
    LinkNames names = names_of({"Sub/s.md", "x/Note.md", "x/y/Taken.md", "Taken.md"}, flavour);
    names.add(old);
    const auto meaning = names.resolve(written, form, source);
    REQUIRE(meaning.is_found());
    REQUIRE(names.path(meaning.file) == old);
    LinkNames after = names;
    after.remove(old);
    after.add(now);
    return after.path_for(now, meaning, written, form, source);
  };
  const auto vault = LinkFlavour::obsidian;
  const auto plain = LinkFlavour::plain;
  const auto wiki = LinkForm::wiki;
  const auto md = LinkForm::markdown;
  CHECK(renamed(vault, "Old", wiki, "Sub/s.md", "a/Old.md", "b/New.md") == "New");
  CHECK(renamed(vault, "Old.md", wiki, "Sub/s.md", "a/Old.md", "b/New.md") == "New.md");
  CHECK(renamed(vault, "Old", wiki, "Sub/s.md", "a/Old.md", "a/b/Note.md") == "a/b/Note");
  CHECK(renamed(plain, "Old", wiki, "Sub/s.md", "a/Old.md", "a/b/Note.md") == "b/Note");
  CHECK(renamed(vault, "a/Old", wiki, "Sub/s.md", "a/Old.md", "b/c/New.md") == "b/c/New");
  CHECK(renamed(vault, "b/Old", wiki, "Sub/s.md", "a/b/Old.md", "a/c/New.md") == "c/New");
  CHECK(renamed(plain, "../a/Old.md", md, "Sub/s.md", "a/Old.md", "Sub/New.md") == "New.md");
  CHECK(renamed(plain, "./b/Old.md", md, "Sub/s.md", "Sub/b/Old.md", "Sub/New.md") == "./New.md");
  CHECK(renamed(plain, "/a/Old.md", md, "Sub/s.md", "a/Old.md", "b/New.md") == "/b/New.md");
}

}  // namespace
}  // namespace notesdb
