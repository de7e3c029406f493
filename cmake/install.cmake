# `cmake --install`: the program, the library with its headers and packages for CMake and pkg-config,
# and the shipped data. The installed tree may be moved and knows nothing of the place it was built in.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The built program looks for its files as an installed one does: share/glgnn in a folder above it.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/glgnn)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/data ${PROJECT_BINARY_DIR}/share/glgnn/data SYMBOLIC)

target_include_directories(glgnn INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(glgnn PUBLIC cxx_std_20)
# The component `program` is what Python's wheel holds: the program and the shipped data.
install(TARGETS glgnn EXPORT glgnn-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS glgnn_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/glgnn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# share is fixed: share_folder() looks there.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data DESTINATION share/glgnn COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(glgnn) gives glgnn::glgnn.
set(GLGNN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/glgnn)
install(EXPORT glgnn-targets NAMESPACE glgnn:: DESTINATION ${GLGNN_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/glgnn-config.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/glgnn-config.cmake
                              INSTALL_DESTINATION ${GLGNN_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/glgnn-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/glgnn-config.cmake
              ${PROJECT_BINARY_DIR}/cmake/glgnn-config-version.cmake
        DESTINATION ${GLGNN_CMAKE_DIR})

# pkg-config --static glgnn; the prefix is found from the place of the file.
set(GLGNN_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH GLGNN_PKGCONFIG_UP /prefix/${GLGNN_PKGCONFIG_DIR} /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/glgnn.pc.in ${PROJECT_BINARY_DIR}/cmake/glgnn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/glgnn.pc DESTINATION ${GLGNN_PKGCONFIG_DIR})

# `make deb`: a package of all of the above; what the program needs is found from its libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME glgnn)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "classification by graphs that are learned from the data")
set(CPACK_PACKAGE_CONTACT "the GL-GNN developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-openmp)  # the other builds of OpenBLAS fight our threads
# To link the static library, as find_package(glgnn) and pkg-config do.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libfmt-dev, libzip-dev, zlib1g-dev, libpugixml-dev, libhwy-dev, libcsv-dev")
include(CPack)
