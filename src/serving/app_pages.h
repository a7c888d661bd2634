// App pages: what a host shows beside an answer (MCP Apps): HTML files, each complete in itself, built
// out of web/ and carried by the program (cmake/page.cmake). None where it was built without npm.
#pragma once

#include <span>
#include <string_view>

namespace notesdb {

struct AppPage {
  std::string_view uri;  // ui://notesdb/table
  std::string_view html;
};

std::span<const AppPage> app_pages();

}  // namespace notesdb
