# Installs headers, library and CMake package, for find_package(dmlindex) and dmlindex::core.
# A wheel takes none of it: it installs only the component python.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dmlindex)
install(TARGETS dmlindex_core EXPORT dmlindex COMPONENT development)
install(EXPORT dmlindex NAMESPACE dmlindex:: DESTINATION ${package_dir} COMPONENT development)
install(DIRECTORY include/ DESTINATION include COMPONENT development FILES_MATCHING PATTERN "*.hpp")
configure_package_config_file(cmake/dmlindexConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/dmlindexConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dmlindexConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dmlindexConfig.cmake
              ${PROJECT_BINARY_DIR}/dmlindexConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)
