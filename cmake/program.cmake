# A program that lies at another address each time begins by writing it into thousands of places. The
# packed list of them takes 2 KiB where the other takes 180.
include(CheckLinkerFlag)
check_linker_flag(CXX "LINKER:-z,pack-relative-relocs" NOTESDB_PACKS_RELOCATIONS)
if(NOTESDB_PACKS_RELOCATIONS)
  set(NOTESDB_PACKED_RELOCATIONS LINKER:-z,pack-relative-relocs)
endif()

# program(name source [DYNAMIC] [USES room...]): an executable of the release, at the top of the build folder.
#
# It is linked without a dynamic linker where NOTESDB_STATIC says so: starting is then a third of the
# time (docs/decisions/0003-static-linking.md), and lies at another address each time all the same.
# DYNAMIC is for one that needs a shared library.
function(program name source)
  cmake_parse_arguments(PROGRAM "DYNAMIC" "" "USES" ${ARGN})
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE notesdb_compiling)
  foreach(used IN LISTS PROGRAM_USES)
    target_link_libraries(${name} PRIVATE notesdb_${used})
  endforeach()
  if(NOTESDB_STATIC AND NOT PROGRAM_DYNAMIC)
    target_link_options(${name} PRIVATE -static-pie ${NOTESDB_PACKED_RELOCATIONS})
  endif()
endfunction()
