# The files with which find_package(tactor COMPONENTS host) or bare, and pkg-config find an installed tactor.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tactor)
install(EXPORT tactor NAMESPACE tactor:: FILE tactorTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/tactorConfig.cmake.in ${tactor_BINARY_DIR}/tactorConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may break: 0.2 does not replace 0.1.
write_basic_package_version_file(${tactor_BINARY_DIR}/tactorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${tactor_BINARY_DIR}/tactorConfig.cmake ${tactor_BINARY_DIR}/tactorConfigVersion.cmake
        DESTINATION ${package_folder})

# Belongs to no layer.
install(FILES src/tactor/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tactor
        COMPONENT headers)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tactor OPTIONAL)
if(NOT TACTOR_PORT STREQUAL host)
  return()
endif()

# pkg-config: what a program on the host links, and what its tests link. The paths are relative to the file, so the tree can be moved.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(package tactor tactor-testkit)
  configure_file(cmake/${package}.pc.in ${tactor_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${tactor_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
