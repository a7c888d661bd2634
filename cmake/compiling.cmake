# How our own targets are compiled: every warning we can use, hardened, errors where a preset asks for it.
add_library(notesdb_compiling INTERFACE)
target_compile_options(notesdb_compiling INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # g++ 12 sees overlaps in string concatenation that cannot be (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  -fstack-protector-strong -ffunction-sections -fdata-sections)
target_compile_definitions(notesdb_compiling INTERFACE
  $<$<CONFIG:Release>:_FORTIFY_SOURCE=2> $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>
  NOTESDB_VERSION="${PROJECT_VERSION}")
target_link_options(notesdb_compiling INTERFACE -Wl,--gc-sections -Wl,-z,relro,-z,now)

set(NOTESDB_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
if(NOTESDB_SANITIZE)
  target_compile_options(notesdb_compiling INTERFACE
    -fsanitize=${NOTESDB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(notesdb_compiling INTERFACE -fsanitize=${NOTESDB_SANITIZE})
endif()

# Everything is then compiled so that a fuzzer sees which lines it has reached.
option(NOTESDB_FUZZ "Build the fuzzers of tests/fuzz" OFF)
if(NOTESDB_FUZZ)
  target_compile_options(notesdb_compiling INTERFACE -fsanitize=fuzzer-no-link)
endif()

option(NOTESDB_STATIC "Link the programs without a dynamic linker" ON)
if(NOTESDB_SANITIZE)
  set(NOTESDB_STATIC OFF)
endif()
