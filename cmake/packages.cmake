# The packages of Debian 12 that notesdb stands on, each found once and used by the rooms that name it.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)

# One static archive where Debian ships one, so that the command starts without a dynamic linker.
function(package_library target header archive)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_ARCHIVE NAMES ${archive} REQUIRED)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_ARCHIVE} ${ARGN})
endfunction()

package_library(pkg_yaml yaml-cpp/yaml.h libyaml-cpp.a)
package_library(pkg_re2 re2/re2.h libre2.a Threads::Threads)
package_library(pkg_utf8proc utf8proc.h libutf8proc.a)
package_library(pkg_xxhash xxhash.h libxxhash.a)
package_library(pkg_sqlite sqlite3.h libsqlite3.a Threads::Threads m)
package_library(pkg_boost_filesystem boost/filesystem.hpp libboost_filesystem.a)

# Used as a header: one source of one room includes it.
find_path(TOML_INCLUDE toml++/toml.h REQUIRED)
add_library(pkg_toml INTERFACE)
target_include_directories(pkg_toml SYSTEM INTERFACE ${TOML_INCLUDE})

add_library(pkg_json INTERFACE)
target_link_libraries(pkg_json INTERFACE nlohmann_json::nlohmann_json)
add_library(pkg_cli11 INTERFACE)
target_link_libraries(pkg_cli11 INTERFACE CLI11::CLI11)
add_library(pkg_threads INTERFACE)
target_link_libraries(pkg_threads INTERFACE Threads::Threads)

# A shared library only, compiled with macros that its header must see too; no program that links it
# can do without a dynamic linker.
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
add_library(pkg_httplib INTERFACE)
target_link_libraries(pkg_httplib INTERFACE PkgConfig::HTTPLIB Threads::Threads)
