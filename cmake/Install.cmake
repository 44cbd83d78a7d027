# The installed package: libraries, public headers, programs with their manual pages and completions,
# and what find_package(tilebeam) and pkg-config read.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilebeam)
foreach(name IN ITEMS simulator engine)
  if(TARGET tilebeam_${name})
    install(TARGETS tilebeam_${name} EXPORT tilebeamTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${name}/include/
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
    set(has_libraries TRUE)
  endif()
endforeach()
foreach(program IN ITEMS tilebeam mlsys)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # Each program prints its own manual page.
    set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
    add_custom_command(OUTPUT ${page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${program} --man > ${page} DEPENDS ${program} VERBATIM)
    list(APPEND descriptions ${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endforeach()
if(TARGET tilebeam_onnx)
  # Where the programs look for it, which is not Debian's directory for libraries.
  install(TARGETS tilebeam_onnx LIBRARY DESTINATION lib/tilebeam)
endif()
if(TARGET tilebeam)
  foreach(place IN ITEMS bash:bash-completion/completions/tilebeam
      zsh:zsh/vendor-completions/_tilebeam fish:fish/vendor_completions.d/tilebeam.fish)
    string(REGEX MATCH "^([a-z]+):(.*/)([^/]*)$" unused ${place})
    set(shell ${CMAKE_MATCH_1})
    set(script ${PROJECT_BINARY_DIR}/completions/${shell}/${CMAKE_MATCH_3})
    install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2})
    add_custom_command(OUTPUT ${script}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completions/${shell}
      COMMAND tilebeam --completion ${shell} > ${script} DEPENDS tilebeam VERBATIM)
    list(APPEND descriptions ${script})
  endforeach()
  add_custom_target(tilebeam_descriptions ALL DEPENDS ${descriptions})
endif()

if(has_libraries)
  install(EXPORT tilebeamTargets NAMESPACE tilebeam:: DESTINATION ${package_dir})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilebeamConfig.cmake.in
    ${PROJECT_BINARY_DIR}/tilebeamConfig.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilebeamConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tilebeamConfig.cmake
    ${PROJECT_BINARY_DIR}/tilebeamConfigVersion.cmake DESTINATION ${package_dir})
  # Found by its own place, so that the installed tree can be moved.
  file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tilebeam.pc.in ${PROJECT_BINARY_DIR}/tilebeam.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tilebeam.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

include(cmake/Package.cmake)
