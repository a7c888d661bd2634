# What `cmake --install` puts where, and the Debian package that `cpack --preset release` makes of it.
#
#   bin/notesdb                       the command
#   libexec/notesdb/notesdb-serve     what `notesdb serve` starts
#   share/man/man1/notesdb.1, and a page for each command as tools/man-pages writes it
#   share/{bash-completion,fish,zsh}  as `notesdb completion SHELL` writes them, at install time
#   share/doc/notesdb                 README, copyright, changelog, docs, and notes-sample under examples
#   share/lintian                     why the program is linked as it is
#   share/notesdb/schema              the JSON Schema of a _schema.md
include(GNUInstallDirs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(NOTESDB_GZIP gzip REQUIRED)

install(TARGETS notesdb DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET notesdb-serve)
  install(TARGETS notesdb-serve DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/notesdb)
endif()

# Debian wants them compressed, without the time at which that was done.
set(manuals ${PROJECT_BINARY_DIR}/man1)
install(CODE "
  file(REMOVE_RECURSE \"${manuals}\")
  execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/tools/man-pages\"
                    \"$<TARGET_FILE:notesdb>\" \"${manuals}\" COMMAND_ERROR_IS_FATAL ANY)
  file(COPY \"${PROJECT_SOURCE_DIR}/docs/notesdb.1\" DESTINATION \"${manuals}\")
  file(GLOB pages \"${manuals}/*.1\")
  execute_process(COMMAND \"${NOTESDB_GZIP}\" -9n \${pages} COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${manuals}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME notesdb)
install(CODE "
  string(TIMESTAMP made \"%a, %d %b %Y %H:%M:%S +0000\" UTC)
  set(changelog \"${PROJECT_BINARY_DIR}/changelog\")
  file(WRITE \"\${changelog}\" \"notesdb (${PROJECT_VERSION}) unstable; urgency=medium\\n\\n\"
       \"  * NOTES.md of the release says what has come.\\n\\n\"
       \" -- notesdb maintainers <maintainers@notesdb.example>  \${made}\\n\")
  execute_process(COMMAND \"${NOTESDB_GZIP}\" -9nf \"\${changelog}\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
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
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "database whose tables are folders of markdown")
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
set(CPACK_DEBIAN_PACKAGE_DEPENDS sensible-utils)  # `notesdb serve --open`
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS git)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion")
include(CPack)
