# notesdb_page: the page of web/, and notesdb_app_pages: the apps of web/src/app, as libraries, built by npm's lock file and esbuild (web/build.mjs).
#
# NOTESDB_WEB says whether: ON fails where npm or its packages cannot be had, AUTO warns and builds a
# server whose page is a line of text, OFF asks for nothing. Built again only when web/ has changed.
set(NOTESDB_WEB AUTO CACHE STRING "Build the page: ON, OFF, or AUTO where npm can be had")
set_property(CACHE NOTESDB_WEB PROPERTY STRINGS AUTO ON OFF)

set(page_source ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)
set(apps_source ${CMAKE_CURRENT_BINARY_DIR}/app_pages.cpp)
set(page_folder ${PROJECT_SOURCE_DIR}/web)
find_program(NOTESDB_NPM npm)
find_program(NOTESDB_NODE NAMES node nodejs)

if(NOTESDB_WEB AND (NOT NOTESDB_NPM OR NOT NOTESDB_NODE))
  if(NOTESDB_WEB STREQUAL AUTO)
    message(WARNING "npm and node are missing: building notesdb-serve without its page "
                    "(install npm, or say -DNOTESDB_WEB=OFF)")
  else()
    message(FATAL_ERROR "npm and node are missing: install npm, or build without the page with -DNOTESDB_WEB=OFF")
  endif()
endif()

if(NOTESDB_WEB AND NOTESDB_NPM AND NOTESDB_NODE)
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS
    ${page_folder}/src/*.ts ${page_folder}/src/*.tsx ${page_folder}/src/*.css ${page_folder}/src/*.html)
  add_custom_command(
    OUTPUT ${page_source} ${apps_source}
    COMMAND ${NOTESDB_NODE} ${page_folder}/build.mjs --npm ${NOTESDB_NPM} --need ${NOTESDB_WEB} --to ${page_source}
            --apps ${apps_source}
    DEPENDS ${page_inputs} ${page_folder}/build.mjs ${page_folder}/package.json ${page_folder}/package-lock.json
            ${page_folder}/tsconfig.json
    COMMENT "Building the page"
    VERBATIM)
else()
  file(CONFIGURE OUTPUT ${page_source} @ONLY CONTENT
"#include \"http/site.h\"

namespace notesdb::http {

Assets page_assets() {
  return {};
}

}  // namespace notesdb::http
")
  file(CONFIGURE OUTPUT ${apps_source} @ONLY CONTENT
"#include \"serving/app_pages.h\"

namespace notesdb {

std::span<const AppPage> app_pages() {
  return {};
}

}  // namespace notesdb
")
endif()

add_library(notesdb_page STATIC ${page_source})
target_include_directories(notesdb_page PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(notesdb_page PRIVATE notesdb_compiling notesdb_http)

# What hosts of agents show beside answers: every program that serves carries it.
add_library(notesdb_app_pages STATIC ${apps_source})
target_include_directories(notesdb_app_pages PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(notesdb_app_pages PRIVATE notesdb_compiling)
target_link_libraries(notesdb_serving PUBLIC notesdb_app_pages)
