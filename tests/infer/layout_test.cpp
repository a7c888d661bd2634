// Which files of a folder are rows, and why; what the owner of a vault has said about them.
#include <algorithm>

#include "database/made_workspace.h"
#include "infer/infer.h"

namespace notesdb {
namespace {

FoundNotes found_in(MadeWorkspace& made,
                    const std::string& folder,
                    const ChoiceAnswers& answers = {}) {
  const FileSystem& files = made.open().files();
  const auto found = find_notes(files, folder, context_of(files, folder, {}), answers);
  REQUIRE(found);
  return *found;
}

std::string listed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts)
    all += text + "; ";
  return all;
}

// The fourth of the vaults: bundles.
void write_bundles(const MadeWorkspace& made, const std::string& marker) {
  made.write(marker, "");
  for (const char* name :
       {"_index", "foo", "2024-05-06-bar", "baz/index", "baz/extra", "qux/index.fr"})
    made.write("content/posts/" + std::string(name) + ".md", "---\ntitle: A\n---\n");
  made.write("content/posts/baz/p.png", "");
}

TEST_CASE("the docs of a site are one database, and notes in few are counted", "[infer]") {
  MadeWorkspace made;
  for (const char* site : {"docusaurus", "plain"}) {
    const std::string pages = std::string(site) + "/docs";
    for (const char* page : {"/intro.md", "/cli/a.md", "/cli/b.md"})
      made.write(pages + page, "---\ntitle: T\n---\n");
    made.write(pages + "/cli/c.md", "no fields\n");
  }
  made.write("docusaurus/docusaurus.config.js", "");
  const auto found = natural_databases(made.open().files(), ".");
  REQUIRE(found);
  CHECK(listed(found->folders) == "docusaurus/docs; ");
  CHECK(found->elsewhere == 3);
  CHECK(found->example == "plain/docs");
}

TEST_CASE("notes beside an index are parts of the page in Hugo and pages in Zola", "[infer]") {
  MadeWorkspace hugo;
  write_bundles(hugo, "hugo.toml");
  const FoundNotes pages = found_in(hugo, "content/posts");
  CHECK(pages.rows.layout == RowLayout::mixed);
  CHECK(listed(pages.paths) == "2024-05-06-bar.md; baz/index.md; foo.md; qux/index.fr.md; ");
  REQUIRE(pages.choices.size() == 1);
  CHECK(pages.choices[0].options[0].starts_with("leave them out"));
  const FoundNotes all = found_in(hugo, "content/posts", {{"pages of folders", 1}});
  CHECK(listed(all.paths).find("baz/extra.md") != std::string::npos);
  MadeWorkspace zola;
  write_bundles(zola, "zola.toml");
  CHECK(listed(found_in(zola, "content/posts").paths) ==
        "2024-05-06-bar.md; baz/extra.md; baz/index.md; foo.md; qux/index.fr.md; ");
}

TEST_CASE("a few bundles among many files do not hide", "[infer]") {
  MadeWorkspace made;
  for (int i = 0; i < 20; ++i)
    made.write("posts/p" + std::to_string(i) + ".md", "---\ntitle: A\n---\n");
  made.write("posts/deep/index.md", "---\ntitle: B\n---\n");
  const FoundNotes found = found_in(made, "posts");
  CHECK(found.paths.size() == 21);
  CHECK(found.rows.layout == RowLayout::mixed);
  CHECK(found.rows.include.empty());
  CHECK(listed(found.why) == "layout mixed: of 21 notes 1 are the index of a folder; ");
}

TEST_CASE("a note of the folder's own name stands for the folder", "[infer]") {
  MadeWorkspace made;
  for (const char* path : {"n/A/A.md", "n/A/part.md", "n/B/B.md", "n/top.md"})
    made.write(path, "---\ntitle: A\n---\n");
  const FoundNotes found = found_in(made, "n");
  CHECK(found.rows.folder_note == FolderNote::name);
  CHECK(found.rows.layout == RowLayout::mixed);
}

TEST_CASE("endings follow what is there", "[infer]") {
  MadeWorkspace made;
  made.write("n/a.md", "");
  made.write("n/b.qmd", "");
  made.write("n/c.Rmd", "");
  CHECK(listed(found_in(made, "n").rows.include) == "*.md; *.qmd; *.Rmd; ");
  made.write("m/a.mdx", "");
  made.write("m/b.markdown", "");
  CHECK(found_in(made, "m").rows.include.empty());
  CHECK(found_in(made, "m").paths.size() == 2);
}

TEST_CASE("the owner of a vault says what is no row, and how days are named", "[infer]") {
  MadeWorkspace made;
  made.write(".obsidian/app.json",
             R"({"attachmentFolderPath": "Files", "userIgnoreFilters": ["Old/"]})");
  made.write(".obsidian/templates.json", R"({"folder": "Meta/Templates"})");
  made.write(".obsidian/daily-notes.json",
             R"({"folder": "Daily", "format": "YYYY/MM/YYYY-MM-DD"})");
  for (const char* path : {"a.md",
                           "Files/b.md",
                           "Old/c.md",
                           "Meta/Templates/d.md",
                           "Meta/e.md",
                           "Daily/2024/05/2024-05-06.md",
                           "Daily/2024-W19.md"})
    made.write(path, "");
  const auto folders = natural_databases(made.open().files(), ".");
  REQUIRE(folders);
  CHECK(listed(folders->folders) == ".; Daily; ");
  const FileSystem& files = made.open().files();
  const auto vault = find_notes(files, ".", context_of(files, ".", {"Daily"}), {});
  REQUIRE(vault);
  CHECK(listed(vault->paths) == "Meta/e.md; a.md; ");
  CHECK(listed(vault->rows.exclude) == "Files/**; Meta/Templates/**; Old/**; ");
  CHECK(vault->left_out.size() == 3);
  const FoundNotes days = found_in(made, "Daily");
  CHECK(listed(days.paths) == "2024/05/2024-05-06.md; ");
  REQUIRE(days.row_id);
  CHECK(days.row_id->style == RowIdStyle::date);
  CHECK(days.row_id->format == "YYYY/MM/YYYY-MM-DD");
  REQUIRE(days.left_out.size() == 1);
  CHECK(days.left_out[0].path == "Daily/2024-W19.md");
}

TEST_CASE("types.json goes before what the values look like", "[infer]") {
  MadeWorkspace made;
  made.write(".obsidian/types.json",
             R"({"types": {"isbn": "number", "status": "text", "topics": "multitext"}})");
  for (int i = 0; i < 9; ++i)
    made.write("b" + std::to_string(i) + ".md",
               "---\nisbn: 067103770" + std::to_string(i) +
                   "\nstatus: " + (i % 2 == 0 ? "open" : "done") + "\ntopics: [x, y]\n---\n");
  const auto inferred = infer(made.open(), ".");
  REQUIRE(inferred);
  CHECK(inferred->schema.find("isbn")->type == ColumnType::number);
  CHECK(inferred->schema.find("status")->type == ColumnType::text);
  CHECK(inferred->schema.find("topics")->type == ColumnType::list);
}

TEST_CASE("names that begin with a day make dated ids", "[infer]") {
  MadeWorkspace made;
  for (const char* day : {"2024-05-06-a", "2024-05-07-b", "2024-05-08-c"})
    made.write("_posts/" + std::string(day) + ".md", "---\ntitle: A\n---\n");
  const auto posts = infer(made.open(), "_posts");
  REQUIRE(posts);
  CHECK(posts->schema.row_id.style == RowIdStyle::date);
  CHECK(posts->schema.row_id.from == "title");
  for (const char* day : {"2024_05_06", "2024_05_07", "2024_05_08"})
    made.write("journals/" + std::string(day) + ".md", "");
  const auto days = infer(made.open(), "journals");
  REQUIRE(days);
  CHECK(days->schema.row_id.format == "YYYY_MM_DD");
  CHECK(days->schema.row_id.from.empty());
}

TEST_CASE("many schemas are one change", "[infer]") {
  MadeWorkspace made;
  std::vector<Inferred> all;
  for (const char* folder : {"a", "b"}) {
    made.write(std::string(folder) + "/n.md", "---\ntitle: A\n---\n");
    auto inferred = infer(made.open(), folder);
    REQUIRE(inferred);
    all.push_back(*std::move(inferred));
  }
  const auto written = write_inferred(made.open(), all);
  REQUIRE(written);
  CHECK(made.files().contains("a/_schema.md"));
  CHECK(made.files().contains("b/_schema.md"));
  const auto undone = made.open().undo(written->change);
  REQUIRE(undone);
  CHECK_FALSE(made.files().contains("a/_schema.md"));
  CHECK_FALSE(made.files().contains("b/_schema.md"));
}

}  // namespace
}  // namespace notesdb
