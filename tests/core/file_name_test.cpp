// What the name of a note's file says.
#include "core/file_name.h"

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

std::string said(std::string_view field, std::string_view id, std::string_view format = "") {
  const Value value = name_field(field, id, format);
  if (value.is_null()) return "-";
  return value.is_integer() ? std::to_string(value.integer()) : value.text();
}

TEST_CASE("a name that begins with a day has a date and a slug", "[core]") {
  CHECK(said("date", "2024-05-06-bar") == "2024-05-06");
  CHECK(said("slug", "2024-05-06-bar") == "bar");
  CHECK(said("date", "posts/2024-5-6-bar") == "2024-05-06");
  CHECK(said("date", "24-05-06-bar") == "2024-05-06");
  CHECK(said("date", "2024_05_06") == "2024-05-06");
  CHECK(said("slug", "2024_05_06") == "-");
  CHECK(said("date", "202405061530 An idea") == "2024-05-06");
  CHECK(said("date", "2024-02-30-bar") == "-");
  CHECK(said("date", "2024-W19") == "-");
  CHECK(said("date", "12-angry-men") == "-");
  CHECK(said("slug", "foo") == "foo");
}

TEST_CASE("the day of a dated id is read by its format", "[core]") {
  CHECK(said("date", "2024/05/06", "YYYY/MM/DD") == "2024-05-06");
  CHECK(said("date", "2024/05/2024-05-06", "YYYY/MM/YYYY-MM-DD") == "2024-05-06");
  CHECK(said("date", "notes", "YYYY/MM/DD") == "-");
}

TEST_CASE("a language is a code of two letters behind the last dot", "[core]") {
  CHECK(said("lang", "about.fr") == "fr");
  CHECK(said("slug", "about.fr") == "about");
  CHECK(said("lang", "about.pt-br") == "pt-br");
  CHECK(said("lang", "setup.js") == "-");
  CHECK(said("lang", "about") == "-");
  CHECK(said("lang", ".fr") == "-");
}

TEST_CASE("digits before a name are its order, unless they are a date or a version", "[core]") {
  CHECK(said("order", "01-intro") == "1");
  CHECK(said("slug", "01-intro") == "intro");
  CHECK(said("order", "2.setup") == "2");
  CHECK(said("order", "2.1-setup") == "-");
  CHECK(said("order", "2024-05-06-bar") == "-");
}

TEST_CASE("a number before a title is its id", "[core]") {
  CHECK(said("id", "10-19 Life/11 Money/11.01 Budget") == "11.01");
  CHECK(said("title", "10-19 Life/11 Money/11.01 Budget") == "Budget");
  CHECK(said("id", "200911172034 Title") == "200911172034");
  CHECK(said("id", "Title") == "-");
  CHECK(said("title", "Title") == "-");
}

TEST_CASE("the parent of a dotted name is the name without its last part", "[core]") {
  CHECK(said("parent", "a.b.c") == "a.b");
  CHECK(said("parent", "vault/a.b") == "vault/a");
  CHECK(said("parent", "root") == "-");
}

TEST_CASE("rows end as notes and data do", "[core]") {
  CHECK(row_file_ending("a.b.markdown") == ".markdown");
  CHECK(row_file_ending(".md").empty());
  CHECK(row_file_ending("x.txt").empty());
  CHECK(is_markdown_file("x.Rmd"));
  CHECK_FALSE(is_markdown_file("x.yml"));
}

}  // namespace
}  // namespace notesdb
