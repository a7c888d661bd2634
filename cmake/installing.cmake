# What `cmake --install` puts where, and the Debian package that `cpack --preset release` makes of it.
#
#   bin/notesdb                       the command
#   libexec/notesdb/notesdb-serve     what `notesdb serve` starts
#   share/man/man1/notesdb.1
#   share/{bash-completion,fish,zsh}  as `notesdb completion SHELL` writes them, at install time
#   share/doc/notesdb                 README, LICENSE, docs, and notes-sample under examples
#   share/notesdb/schema              the JSON Schema of a _schema.md
include(GNUInstallDirs)

install(TARGETS notesdb DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET notesdb-serve)
  install(TARGETS notesdb-serve DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/notesdb)
endif()

install(FILES docs/notesdb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.png)
install(DIRECTORY notes-sample DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY schema DESTINATION ${CMAKE_INSTALL_DATADIR}/notesdb)

# Asks the command itself for its completions, so that they cannot be out of date.
function(install_completion shell folder file)
  set(generated ${PROJECT_BINARY_DIR}/completions/${shell}/${file})
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/completions/${shell}\")
    execute_process(COMMAND \"$<TARGET_FILE:notesdb>\" completion ${shell}
                    OUTPUT_FILE \"${generated}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${generated} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()

install_completion(bash bash-completion/completions notesdb)
install_completion(fish fish/vendor_completions.d notesdb.fish)
install_completion(zsh zsh/site-functions _notesdb)
# Debian's zsh looks here instead, where a package is meant.
install_completion(zsh zsh/vendor-completions _notesdb)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME notesdb)
set(CPACK_PACKAGE_CONTACT "notesdb maintainers <maintainers@notesdb.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "A row is a file with YAML front matter, a database a folder with a schema.\n\
notesdb queries such folders as they are, changes one value without touching\n\
another byte, and serves the same operations to agents over MCP.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# What the shared libraries of notesdb-serve need; notesdb itself needs nothing.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS git)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion")
include(CPack)
