# cmake --install: the two programs, the documents, and from install_service.cmake the systemd unit and a configuration.
include(GNUInstallDirs)

install(TARGETS sluiced sluice)
install(FILES README.md CHANGELOG.md LICENSE config/sluice.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(CODE "set(source ${PROJECT_SOURCE_DIR})\nset(binary ${PROJECT_BINARY_DIR})")
install(SCRIPT cmake/install_service.cmake)
