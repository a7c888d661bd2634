#include "git/row_merge.h"

#include <catch2/catch.hpp>

#include "merge/sides.h"
#include "schema/document.h"

using namespace notesdb;

namespace {

Result<MergedNote> merge(std::string_view path,
                         std::string_view base,
                         std::string_view ours,
                         std::string_view theirs,
                         const Schema& schema = {}) {
  return merge_file_texts(path, {base, ours, theirs}, schema, {});
}

std::string schema_text(const std::string& columns, int next) {
  return "---\nname: T  # kept\ncolumns:\n" + columns + "next_row_id: " + std::to_string(next) +
         "\n---\nNotes\n";
}

constexpr const char* title = "  - id: title\n    type: text\n";
constexpr const char* status = "  - id: status\n    type: select\n    options: [open, done]\n";

}  // namespace

TEST_CASE("schemas merge by column and option, and the counter is the greater", "[git]") {
  std::string base = schema_text(std::string(title) + status, 3);
  std::string ours = schema_text(
      std::string(title) + "  - id: status\n    type: select\n    options: [open, done, late]\n",
      9);
  std::string theirs = schema_text(
      std::string(title) +
          "  - id: status\n    type: select\n    options: [open, held, done]\n  - id: due\n"
          "    type: date\n",
      5);
  Result<MergedNote> merged = merge("a/_schema.md", base, ours, theirs);
  REQUIRE(merged);
  CHECK(merged->conflicts.empty());
  Result<SchemaDocument> document = parse_schema(merged->bytes, NoteFormat::markdown);
  REQUIRE(document);
  CHECK(document->schema.column_ids() == std::vector<std::string>{"title", "status", "due"});
  CHECK(document->schema.find("status")->options ==
        std::vector<std::string>{"open", "held", "done", "late"});
  CHECK(document->schema.next_row_id == 9);
  CHECK(merged->bytes.find("name: T  # kept") != std::string::npos);
}

TEST_CASE("a column changed differently is marked and the rows stay readable as ours", "[git]") {
  std::string base = schema_text(std::string(title) + status, 3);
  std::string ours = schema_text("  - id: title\n    type: url\n" + std::string(status), 3);
  std::string theirs = schema_text("  - id: title\n    type: number\n" + std::string(status), 3);
  Result<MergedNote> merged = merge("_schema.md", base, ours, theirs);
  REQUIRE(merged);
  REQUIRE(merged->conflicts.size() == 1);
  Result<SchemaDocument> document = parse_schema(merged->bytes, NoteFormat::markdown);
  REQUIRE(document);
  CHECK(document->schema.find("title")->type == ColumnType::url);
  CHECK(document->schema.columns.size() == 2);
  CHECK_FALSE(document->issues.empty());
  Result<std::string> resolved = resolve(merged->bytes,
                                         NoteFormat::markdown,
                                         {"columns", ConflictSide::theirs, std::nullopt, nullptr});
  REQUIRE(resolved);
  CHECK(*resolved == theirs);
}

TEST_CASE("columns say how their values join", "[git]") {
  Schema schema;
  Column seen;
  seen.id = "seen";
  seen.merge = "max";
  schema.columns.push_back(seen);
  Result<MergedNote> merged =
      merge("r.md", "---\nseen: 1\n---\n", "---\nseen: 4\n---\n", "---\nseen: 12\n---\n", schema);
  REQUIRE(merged);
  CHECK(merged->bytes == "---\nseen: 12\n---\n");
}

TEST_CASE("two rows made under one name are never joined in silence", "[git]") {
  Result<MergedNote> merged =
      merge("r.md", "", "---\ntitle: A\nn: 1\n---\nText A\n", "---\ntitle: B\nn: 1\n---\nText B\n");
  REQUIRE(merged);
  REQUIRE(merged->conflicts.size() == 2);
  std::vector<MergeConflict> found = conflicts_in(merged->bytes, NoteFormat::markdown);
  REQUIRE(found.size() == 2);
  CHECK(found[0].field == "title");
  CHECK(found[0].values.ours == Value("A"));
  CHECK(found[0].values.theirs == Value("B"));
  CHECK(found[1].field == "_body");
}

TEST_CASE("what is not a row is left to git", "[git]") {
  using namespace std::string_literals;
  CHECK_FALSE(merge("a.png", "", "x", "y"));
  CHECK_FALSE(merge("a.md", "", "x\0"s, "y"));
  CHECK_FALSE(merge("a.md", "---\na: 1\n---\n", "---\na: 1\n", "---\na: 2\n---\n"));
}

TEST_CASE("a text of many lines changed in two places is merged by its lines", "[git]") {
  auto row = [](const std::string& first, const std::string& last) {
    return "---\nplan: |\n  " + first + "\n  two\n  three\n  four\n  " + last + "\n---\n";
  };
  Result<MergedNote> merged = merge("r.md", row("one", "five"), row("1", "five"), row("one", "5"));
  REQUIRE(merged);
  CHECK(merged->conflicts.empty());
  CHECK(merged->bytes == row("1", "5"));
}

TEST_CASE("a conflict is settled by either side, byte for byte, or by a value", "[git]") {
  std::string text =
      "---\na: 1  # one\n<<<<<<< ours\nb: 'x'  # mine\n||||||| base\nb: w\n=======\nb: y\n"
      ">>>>>>> theirs\nc: 3\n---\nText\n";
  auto resolved = [&](std::optional<ConflictSide> side, std::optional<Value> value) {
    Result<std::string> result =
        resolve(text, NoteFormat::markdown, {"b", side, std::move(value), nullptr});
    REQUIRE(result);
    return *result;
  };
  CHECK(resolved(ConflictSide::ours, {}) == "---\na: 1  # one\nb: 'x'  # mine\nc: 3\n---\nText\n");
  CHECK(resolved(ConflictSide::theirs, {}) == "---\na: 1  # one\nb: y\nc: 3\n---\nText\n");
  CHECK(resolved(ConflictSide::base, {}) == "---\na: 1  # one\nb: w\nc: 3\n---\nText\n");
  CHECK(resolved({}, Value("z")) == "---\na: 1  # one\nb: z\nc: 3\n---\nText\n");
  CHECK(resolved({}, Value()) == "---\na: 1  # one\nc: 3\n---\nText\n");
  CHECK_FALSE(resolve(text, NoteFormat::markdown, {"a", ConflictSide::ours, {}, nullptr}));
}
