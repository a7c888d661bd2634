# module(name [USES module...] [PACKAGES package...]): the folder src/name as a static library
# notesdb_name, which may include the modules and packages it names and nothing else.
function(module name)
  cmake_parse_arguments(MODULE "" "" "USES;PACKAGES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
                                      ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.h)
  if(NOT sources)
    add_library(notesdb_${name} INTERFACE)  # no sources yet
    return()
  endif()
  add_library(notesdb_${name} STATIC ${sources})
  set_target_properties(notesdb_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(notesdb_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(notesdb_${name} PRIVATE notesdb_compiling)
  foreach(used IN LISTS MODULE_USES)
    target_link_libraries(notesdb_${name} PUBLIC notesdb_${used})
  endforeach()
  foreach(package IN LISTS MODULE_PACKAGES)
    target_link_libraries(notesdb_${name} PUBLIC pkg_${package})
  endforeach()
endfunction()

# module_test(name [PURE] [USES module...]): every tests/name/*.cpp as one Catch2 program name_test, run as
# one CTest test. PURE says that it opens no file and so is cheap to run once more under sanitizers:
# the target pure_tests builds those, the CTest label pure runs them.
add_custom_target(pure_tests)
function(module_test name)
  cmake_parse_arguments(TEST "PURE" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE notesdb_compiling notesdb_test_main)
  # What is tested is compiled as released; the tests themselves compile in half the time so.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  foreach(used IN LISTS TEST_USES)
    target_link_libraries(${name}_test PRIVATE notesdb_${used})
  endforeach()
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE
    NOTESDB_SOURCE_DIR="${PROJECT_SOURCE_DIR}" NOTESDB_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name}_test)
  if(TEST_PURE)
    add_dependencies(pure_tests ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS pure)
  endif()
endfunction()
