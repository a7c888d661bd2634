# A program that lies at another address each time begins by writing it into thousands of places. The
# packed list of them takes 2 KiB where the other takes 180.
include(CheckLinkerFlag)
check_linker_flag(CXX "LINKER:-z,pack-relative-relocs" NOTESDB_PACKS_RELOCATIONS)
if(NOTESDB_PACKS_RELOCATIONS)
  set(NOTESDB_PACKED_RELOCATIONS LINKER:-z,pack-relative-relocs)
endif()

# The functions that everyday commands run lie side by side, so that a command has less of the program
# in memory and begins sooner (tools/function-order).
set(NOTESDB_FUNCTION_ORDER ${PROJECT_SOURCE_DIR}/cmake/function_order.ld)
check_linker_flag(CXX "LINKER:-T,${NOTESDB_FUNCTION_ORDER}" NOTESDB_ORDERS_FUNCTIONS)

# program(name source [DYNAMIC] [ORDERED] [USES room...]): an executable of the release, at the top of the build folder.
#
# It is linked without a dynamic linker where NOTESDB_STATIC says so: starting is then a third of the
# time (docs/decisions/0003-static-linking.md), and lies at another address each time all the same.
# DYNAMIC is for one that needs a shared library, ORDERED for the one whose functions are in the list.
function(program name source)
  cmake_parse_arguments(PROGRAM "DYNAMIC;ORDERED" "" "USES" ${ARGN})
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE notesdb_compiling)
  foreach(used IN LISTS PROGRAM_USES)
    target_link_libraries(${name} PRIVATE notesdb_${used})
  endforeach()
  if(NOTESDB_STATIC AND NOT PROGRAM_DYNAMIC)
    target_link_options(${name} PRIVATE -static-pie ${NOTESDB_PACKED_RELOCATIONS})
  endif()
  if(PROGRAM_ORDERED AND NOTESDB_ORDERS_FUNCTIONS)
    target_link_options(${name} PRIVATE LINKER:-T,${NOTESDB_FUNCTION_ORDER})
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${NOTESDB_FUNCTION_ORDER})
  endif()
endfunction()
