# A Debian package, by cpack -G DEB.
set(CPACK_PACKAGE_NAME tilebeam)
set(CPACK_PACKAGE_VENDOR "tilebeam")
set(CPACK_PACKAGE_CONTACT "tilebeam developers <tilebeam@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "scheduler for tiled tensor graphs on a two-level memory")
set(CPACK_PACKAGE_DESCRIPTION
  "Schedules computation graphs on accelerators with a small fast memory and a large slow one:
the programs tilebeam and mlsys, and the static libraries behind them.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What the programs are linked with, and Clp, which they load when they need it; the libraries need
# oneTBB's development files besides.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "coinor-libclp1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libtbb-dev, pkgconf")
include(CPack)
