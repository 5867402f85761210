# cmake --install: the two programs, the example configuration, the systemd unit and the documents.
include(GNUInstallDirs)

if(TARGET sluiced)
    install(TARGETS sluiced)
    configure_file(docker/sluiced.service.in sluiced.service @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/sluiced.service DESTINATION lib/systemd/system)
    install(FILES config/sluice.yaml DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/sluice)
endif()
if(TARGET sluice)
    install(TARGETS sluice)
endif()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
