// What docs say of the functions of expressions is what the table of functions says.
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include "expression/functions.h"

namespace notesdb {
namespace {

TEST_CASE("docs/bases.md ends with the table of functions and fields", "[docs]") {
  std::ifstream in(NOTESDB_SOURCE_DIR "/docs/bases.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  std::string table = expression::function_docs();
  while (table.ends_with('\n'))
    table.pop_back();
  INFO(table);
  CHECK(page.ends_with(table + "\n"));
}

}  // namespace
}  // namespace notesdb
