#include "merge/merge.h"

#include <map>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "note/note.h"
#include "yaml/scalar.h"

using namespace notesdb;

namespace {

MergedNote merged(std::string_view base, std::string_view ours, std::string_view theirs) {
  Result<MergedNote> result = merge_notes({base, ours, theirs}, {});
  if (!result) FAIL(result.error().message);
  return *result;
}

}  // namespace

TEST_CASE("fields changed on different sides are both taken", "[note][merge]") {
  MergedNote note = merged("---\nstatus: open  # now\nowner: anna\n---\nText\n",
                           "---\nstatus: done  # now\nowner: anna\n---\nText\n",
                           "---\nstatus: open  # now\nowner: 'bob'\n---\nText, fixed\n");
  CHECK(note.bytes == "---\nstatus: done  # now\nowner: 'bob'\n---\nText, fixed\n");
  CHECK(note.conflicts.empty());
}

TEST_CASE("lists join additions and removals of both sides, keeping comments", "[note][merge]") {
  MergedNote note = merged("---\ntags: [a, b]\n---\n",
                           "---\ntags: [a, b, c]  # mine\n---\n",
                           "---\ntags: [b, d]\n---\n");
  CHECK(note.bytes == "---\ntags: [b, c, d]  # mine\n---\n");
  CHECK(note.conflicts.empty());
}

TEST_CASE("block lists that both sides lengthen stay block lists", "[note][merge]") {
  MergedNote note = merged("---\ntags:\n  - a\nn: 1\n---\n",
                           "---\ntags:\n  - a\n  - b\nn: 1\n---\n",
                           "---\ntags:\n  - a\n  - c\nn: 2\n---\n");
  CHECK(note.bytes == "---\ntags:\n  - a\n  - b\n  - c\nn: 2\n---\n");
}

TEST_CASE("a field changed differently stands between markers and the rest is read",
          "[note][merge]") {
  MergedNote note = merged("---\ntitle: T\nstatus: open\nn: 1\n---\nText\n",
                           "---\ntitle: T\nstatus: done\nn: 1\n---\nText\n",
                           "---\ntitle: T\nstatus: blocked\nn: 2\n---\nText\n");
  CHECK(note.bytes ==
        "---\ntitle: T\n<<<<<<< ours\nstatus: done\n||||||| base\nstatus: open\n=======\n"
        "status: blocked\n>>>>>>> theirs\nn: 2\n---\nText\n");
  REQUIRE(note.conflicts.size() == 1);
  CHECK(note.conflicts[0].field == "status");
  CHECK(note.conflicts[0].values.base == Value("open"));
  Result<Note> read = Note::parse(note.bytes, NoteFormat::markdown);
  REQUIRE(read);
  CHECK(read->find("title")->text == "T");
  CHECK(read->find("n")->text == "2");
  CHECK(read->find("status") == nullptr);
  REQUIRE(read->issues().size() == 1);
  CHECK(read->issues()[0].rule == "conflict");
  CHECK(read->issues()[0].line == 3);
  CHECK(read->issues()[0].message.find("ours is done, theirs is blocked") != std::string::npos);
}

TEST_CASE("setting a field in conflict settles it and leaves the others alone", "[note][merge]") {
  Result<Note> note = Note::parse(
      "---\na: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> topic\nc: 4 # four\n---\nText\n",
      NoteFormat::markdown);
  REQUIRE(note);
  REQUIRE(note->set("c", Value(5)));
  REQUIRE(note->set("b", Value(7)));
  CHECK(note->bytes() == "---\na: 1\nb: 7\nc: 5 # four\n---\nText\n");
  CHECK(note->issues().empty());
}

TEST_CASE("markers inside a list put that list in conflict and no other field", "[note][merge]") {
  Result<Note> note = Note::parse(
      "---\ntags:\n  - a\n<<<<<<< HEAD\n  - b\n=======\n  - c\n>>>>>>> topic\n  - d\nn: 1\n---\n",
      NoteFormat::markdown);
  REQUIRE(note);
  CHECK(note->find("tags") == nullptr);
  CHECK(note->find("n")->text == "1");
  REQUIRE(note->set("tags", Value(List{"a", "b"})));
  CHECK(note->bytes() == "---\ntags:\n  - a\n  - b\nn: 1\n---\n");
}

TEST_CASE("markers around two fields keep both in conflict", "[note][merge]") {
  Result<Note> note =
      Note::parse("---\n<<<<<<< HEAD\na: 1\nb: 1\n=======\na: 2\nb: 2\n>>>>>>> topic\nc: 3\n---\n",
                  NoteFormat::markdown);
  REQUIRE(note);
  CHECK(note->issues().size() == 2);
  CHECK(note->find("c")->text == "3");
  std::string before = note->bytes();
  CHECK_FALSE(note->set("a", Value(1)));
  CHECK(note->bytes() == before);
}

TEST_CASE("a removal against a change is a conflict that drops neither", "[note][merge]") {
  MergedNote note = merged("---\na: 1\nb: 2\n---\n", "---\nb: 2\n---\n", "---\na: 3\nb: 2\n---\n");
  REQUIRE(note.conflicts.size() == 1);
  CHECK_FALSE(note.conflicts[0].values.ours.has_value());
  CHECK(note.bytes ==
        "---\n<<<<<<< ours\n||||||| base\na: 1\n=======\na: 3\n>>>>>>> theirs\nb: 2\n---\n");
}

TEST_CASE("new fields of both sides go where their side has them, comments with them",
          "[note][merge]") {
  MergedNote note = merged("---\na: 1\nz: 9\n---\n",
                           "---\na: 1\nb: 2\nz: 9\n---\n",
                           "---\na: 1\n# why\nc: 3\nz: 9\n---\n");
  CHECK(note.bytes == "---\na: 1\nb: 2\n# why\nc: 3\nz: 9\n---\n");
  MergedNote same =
      merged("---\na: 1\n---\n", "---\na: 1\nb: 2\n---\n", "---\na: 1\nb: 2\nc: 3\n---\n");
  CHECK(same.bytes == "---\na: 1\nb: 2\nc: 3\n---\n");
}

TEST_CASE("bodies appended to on both sides keep both", "[note][merge]") {
  MergedNote note = merged(
      "---\na: 1\n---\nText", "---\na: 1\n---\nText\nOurs", "---\na: 1\n---\nText\nTheirs\n");
  CHECK(note.bytes == "---\na: 1\n---\nText\nOurs\nTheirs\n");
  CHECK(note.conflicts.empty());
}

TEST_CASE("a body changed on one line by both is marked there only", "[note][merge]") {
  MergedNote note = merged("one\ntwo\nthree\n", "one\n2\nthree\n", "one\nzwei\nthree\n");
  REQUIRE(note.conflicts.size() == 1);
  CHECK(note.conflicts[0].field == "_body");
  CHECK(note.bytes ==
        "one\n<<<<<<< ours\n2\n||||||| base\ntwo\n=======\nzwei\n>>>>>>> theirs\nthree\n");
}

TEST_CASE("CRLF files merge with CRLF", "[note][merge]") {
  MergedNote note = merged(
      "---\r\na: 1\r\nb: 1\r\n---\r\n", "---\r\na: 2\r\nb: 1\r\n---\r\n", "---\na: 1\nb: 5\n---\n");
  CHECK(note.bytes == "---\r\na: 2\r\nb: 5\r\n---\r\n");
}

TEST_CASE("rules of a column decide what both changed", "[note][merge]") {
  auto with = [](MergeRule rule, std::string_view ours, std::string_view theirs) {
    auto row = [](std::string_view value) { return "---\nx: " + std::string(value) + "\n---\n"; };
    MergeOptions options;
    options.rule_of = [rule](std::string_view) { return rule; };
    std::string base = row("0");
    Result<MergedNote> note = merge_notes({base, row(ours), row(theirs)}, options);
    REQUIRE(note);
    return note->conflicts.empty() ? note->bytes : "conflict";
  };
  CHECK(with(MergeRule::greatest, "9", "10") == "---\nx: 10\n---\n");
  CHECK(with(MergeRule::least, "9", "10") == "---\nx: 9\n---\n");
  CHECK(with(MergeRule::greatest, "2026-01-31 9:05", "2026-01-31T10:00:00") ==
        "---\nx: 2026-01-31T10:00:00\n---\n");
  CHECK(with(MergeRule::ours, "1", "2") == "---\nx: 1\n---\n");
  CHECK(with(MergeRule::theirs, "1", "2") == "---\nx: 2\n---\n");
  CHECK(with(MergeRule::conflict, "[1]", "[2]") == "conflict");
  CHECK(with(MergeRule::by_shape, "[1]", "[2]") != "conflict");
}

TEST_CASE("lists of maps with ids merge by id", "[note][merge]") {
  auto item = [](std::string_view id, int n) {
    return Value(Map{{"id", Value(id)}, {"n", Value(n)}});
  };
  List base{item("a", 1), item("b", 1)};
  List ours{item("a", 2), item("b", 1), item("c", 1)};
  List theirs{item("b", 3), item("a", 1), item("d", 1)};
  MergedValue merged_list = merge_values(MergeRule::by_shape, {base, ours, theirs});
  REQUIRE(merged_list.clean);
  CHECK(*merged_list.value == Value(List{item("a", 2), item("d", 1), item("b", 3), item("c", 1)}));
  List changed{item("a", 5), item("b", 1)};
  CHECK_FALSE(merge_values(MergeRule::by_shape, {base, ours, changed}).clean);
}

namespace {

// A model apart from the merger: values as text, lists as sets, nothing about files.
using Model = std::map<std::string, Value>;

Model model_of(const Note& note) {
  Model model;
  for (const NoteField& field : note.fields()) {
    if (field.readable) model[field.key] = read_untyped(field.node);
  }
  return model;
}

std::set<std::string> set_of(const Value& list) {
  std::set<std::string> items;
  for (const Value& item : list.list())
    items.insert(to_display(item));
  return items;
}

Value random_value(std::mt19937& random, const std::string& key) {
  if (key[0] != 'l') return Value(std::int64_t(random() % 6));
  List list;
  for (const char* item : {"red", "green", "a, b", "x: y", "- z"}) {
    if (random() % 2 == 0) list.emplace_back(item);
  }
  return list;
}

void change(std::mt19937& random, Note& note) {
  for (const std::string key : {"a", "b", "c", "l1", "l2"}) {
    if (random() % 3 != 0) continue;
    if (random() % 5 == 0) {
      REQUIRE(note.remove(key));
    } else {
      REQUIRE(note.set(key, random_value(random, key)));
    }
  }
  if (random() % 4 == 0) REQUIRE(note.append_body("line " + std::to_string(random() % 100)));
}

std::optional<Value> at(const Model& model, const std::string& key) {
  auto found = model.find(key);
  return found == model.end() ? std::nullopt : std::optional(found->second);
}

void check_field(const std::string& key,
                 const ThreeValues& was,
                 const MergedNote& outcome,
                 const Model& result) {
  bool in_conflict = std::ranges::any_of(
      outcome.conflicts, [&](const MergeConflict& conflict) { return conflict.field == key; });
  if (was.ours == was.theirs || was.base == was.theirs || was.base == was.ours) {
    CHECK_FALSE(in_conflict);
    CHECK(at(result, key) == (was.base == was.ours ? was.theirs : was.ours));
  } else if (was.ours && was.theirs && was.ours->is_list() && was.theirs->is_list()) {
    REQUIRE_FALSE(in_conflict);
    std::set<std::string> base = was.base ? set_of(*was.base) : std::set<std::string>{};
    std::set<std::string> expected;
    for (const auto& side : {set_of(*was.ours), set_of(*was.theirs)}) {
      for (const std::string& item : side) {
        bool kept_by_both = set_of(*was.ours).contains(item) && set_of(*was.theirs).contains(item);
        if (!base.contains(item) || kept_by_both) expected.insert(item);
      }
    }
    CHECK(set_of(*at(result, key)) == expected);
  } else {
    CHECK(in_conflict);
    CHECK_FALSE(at(result, key).has_value());
  }
}

}  // namespace

TEST_CASE("a thousand random merges agree with a model", "[note][merge]") {
  std::mt19937 random(2026);
  for (int round = 0; round < 1000; ++round) {
    std::string start =
        "---\n# kept\na: 1   # one\nl1: [red, green]\nb: 2\nl2:\n  - red\n  - \"x: y\"\nc: "
        "3\n---\n\nText\n";
    Result<Note> base = Note::parse(start, NoteFormat::markdown);
    REQUIRE(base);
    Note ours = *base;
    Note theirs = *base;
    change(random, ours);
    change(random, theirs);
    INFO("round " << round << "\nours:\n" << ours.bytes() << "\ntheirs:\n" << theirs.bytes());
    MergedNote outcome = merged(start, ours.bytes(), theirs.bytes());
    INFO("merged:\n" << outcome.bytes);
    Result<Note> read = Note::parse(outcome.bytes, NoteFormat::markdown);
    REQUIRE(read);
    Model result = model_of(*read);
    for (const std::string key : {"a", "b", "c", "l1", "l2"}) {
      ThreeValues was{at(model_of(*base), key), at(model_of(ours), key), at(model_of(theirs), key)};
      check_field(key, was, outcome, result);
    }
    CHECK(outcome.bytes.find("# kept") != std::string::npos);
    for (const Note* side : {&ours, &theirs}) {
      std::string_view added = side->body().substr(base->body().size());
      CHECK(read->body().find(added) != std::string_view::npos);
    }
  }
}
