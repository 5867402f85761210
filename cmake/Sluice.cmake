# What every target of the project shares: the language, the warnings, the sanitizers, and where binaries go.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_package(Threads REQUIRED)

add_library(sluice_options INTERFACE)
target_include_directories(sluice_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(sluice_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(SLUICE_WERROR)
    target_compile_options(sluice_options INTERFACE -Werror)
endif()
if(SLUICE_SANITIZE)
    add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${SLUICE_SANITIZE})
endif()

# sluice_library(feed SOURCES a.cpp … LINKS pugixml …): the static library sluice_feed, to be linked as sluice::feed.
function(sluice_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;PRIVATE_LINKS")
    add_library(sluice_${name} STATIC ${arg_SOURCES})
    add_library(sluice::${name} ALIAS sluice_${name})
    target_link_libraries(sluice_${name} PUBLIC ${arg_LINKS} PRIVATE sluice_options ${arg_PRIVATE_LINKS})
    target_include_directories(sluice_${name} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# sluice_program(sluiced SOURCES … LINKS …): a binary in build/…/bin.
function(sluice_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINKS} sluice_options)
endfunction()
