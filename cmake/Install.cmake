# The installed package: libraries, public headers, programs, and what find_package(tilebeam) reads.
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
  endif()
endforeach()

if(has_libraries)
  install(EXPORT tilebeamTargets NAMESPACE tilebeam:: DESTINATION ${package_dir})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilebeamConfig.cmake.in
    ${PROJECT_BINARY_DIR}/tilebeamConfig.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilebeamConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tilebeamConfig.cmake
    ${PROJECT_BINARY_DIR}/tilebeamConfigVersion.cmake DESTINATION ${package_dir})
endif()
