# cmake --install: the two programs, the documents, manual pages, completion in shells and, by
# install_service.cmake, the systemd unit and a configuration; and the libraries of protocol/ and gpu/ with their headers,
# for find_package(sluice).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(SLUICE_PROGRAMS)
    install(TARGETS sluiced sluice COMPONENT programs)
    install(FILES README.md CHANGELOG.md LICENSE config/sluice.yaml docker/gpu.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}
            COMPONENT programs)
    install(CODE "set(source ${PROJECT_SOURCE_DIR})\nset(binary ${PROJECT_BINARY_DIR})" COMPONENT programs)
    install(SCRIPT cmake/install_service.cmake COMPONENT programs)
endif()

# Manual pages and completion are what the client prints; those of a build with sanitizers would be no others.
if(SLUICE_PROGRAMS AND NOT SLUICE_SANITIZE)
    set(share ${PROJECT_BINARY_DIR}/share)
    # sluice_printed(man/man1/sluice.1 manual sluice): the file, with what this command of sluice prints.
    function(sluice_printed file)
        get_filename_component(folder ${share}/${file} DIRECTORY)
        add_custom_command(
            OUTPUT ${share}/${file}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
            COMMAND sluice ${ARGN} > ${share}/${file}
            DEPENDS sluice
            VERBATIM)
        list(APPEND printed ${share}/${file})
        set(printed ${printed} PARENT_SCOPE)
    endfunction()
    sluice_printed(man/man1/sluice.1 manual sluice)
    sluice_printed(man/man5/sluice.yaml.5 manual sluice.yaml)
    sluice_printed(man/man7/sluice-filters.7 manual sluice-filters)
    sluice_printed(man/man8/sluiced.8 manual sluiced)
    sluice_printed(zsh/site-functions/_sluice completion zsh)
    foreach(program sluice sluiced)  # bash and fish load the file that is called like the program
        sluice_printed(bash-completion/completions/${program} completion bash)
        sluice_printed(fish/vendor_completions.d/${program}.fish completion fish)
    endforeach()
    add_custom_target(manual ALL DEPENDS ${printed})
    install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT programs)
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
