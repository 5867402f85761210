# cmake --install: the two programs, the documents and, by install_service.cmake, the systemd unit and a configuration;
# and the libraries of protocol/ and gpu/ with their headers, for find_package(sluice).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(SLUICE_PROGRAMS)
    install(TARGETS sluiced sluice COMPONENT programs)
    install(FILES README.md CHANGELOG.md LICENSE config/sluice.yaml docker/gpu.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}
            COMPONENT programs)
    install(CODE "set(source ${PROJECT_SOURCE_DIR})\nset(binary ${PROJECT_BINARY_DIR})" COMPONENT programs)
    install(SCRIPT cmake/install_service.cmake COMPONENT programs)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(TARGETS sluice_bytes sluice_text sluice_gpu sluice_gpu_simd sluice_gpu_align sluice_gpu_distance
                sluice_gpu_recurrence sluice_gpu_search sluice_filter sluice_feed sluice_wire EXPORT sluiceTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
install(DIRECTORY gpu protocol DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice COMPONENT libraries
        FILES_MATCHING PATTERN "*.hpp" PATTERN clients EXCLUDE)
install(EXPORT sluiceTargets NAMESPACE sluice:: DESTINATION ${package_dir} COMPONENT libraries)
configure_package_config_file(cmake/sluiceConfig.cmake.in sluiceConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sluiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluiceConfig.cmake ${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT libraries)
