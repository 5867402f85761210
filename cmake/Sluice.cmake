# Shared by every target of the project: the language, the warnings, the sanitizers, and the folder for binaries.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

# The programs look for libraries in ../lib first, and so do those libraries: ./dev bundle puts them there.
set(CMAKE_BUILD_RPATH "$ORIGIN/../lib")
add_link_options(-Wl,--disable-new-dtags)

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # targets that link a folder's libraries need the packages it has found
find_package(Threads REQUIRED)
include(${PROJECT_SOURCE_DIR}/gpu/Cuda.cmake)
include(${PROJECT_SOURCE_DIR}/gpu/Kernels.cmake)

# Assertions name files by their path in the project: what was compiled in one clone then serves another.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")

add_library(sluice_options INTERFACE)
target_include_directories(sluice_options INTERFACE ${PROJECT_SOURCE_DIR})
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND warnings -Wno-restrict)  # at -O3 GCC warns of std::string's own operator+ (GCC bug 105651)
endif()
if(SLUICE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND warnings -Wno-subobject-linkage)  # it takes the sources of a unit for headers
endif()
if(SLUICE_WERROR)
    list(APPEND warnings -Werror)
endif()
target_compile_options(sluice_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")

if(SLUICE_SANITIZE)
    add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${SLUICE_SANITIZE})
    if(SLUICE_SANITIZE MATCHES address)
        # To be loaded where it was linked: AddressSanitizer's tables need a million relocations otherwise, which takes
        # longer than most tests.
        add_compile_options(-fno-pie)
        add_link_options(-no-pie)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
        add_compile_options(-fno-sanitize=function)  # clang 14 can't emit it for coroutines
    endif()
    if(SLUICE_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        add_compile_options(-Wno-tsan)  # TSan does not support Asio's fences; our use does not need them
    endif()
endif()
if(SLUICE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)  # the libraries' coverage steers the fuzzer
endif()

# Sources with compile options of their own, such as those for an instruction set, stay outside the units.
function(sluice_unity target)
    if(SLUICE_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    endif()
endfunction()

# sluice_room(feed_xml SOURCES a.cpp … LINKS sluice::feed_model …): the objects of one folder.
function(sluice_room name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
    add_library(sluice_${name} OBJECT ${arg_SOURCES})
    add_library(sluice::${name} ALIAS sluice_${name})
    target_link_libraries(sluice_${name} PUBLIC ${arg_LINKS} PRIVATE sluice_options)
    target_compile_features(sluice_${name} PUBLIC cxx_std_20)
    sluice_unity(sluice_${name})
endfunction()

# sluice_library(feed ROOMS feed_xml … SOURCES a.cpp … LINKS pugixml …): the static library sluice_feed, to be linked as
# sluice::feed, of rooms and sources.
function(sluice_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ROOMS;SOURCES;LINKS;PRIVATE_LINKS")
    list(TRANSFORM arg_ROOMS REPLACE "(.+)" "$<TARGET_OBJECTS:sluice_\\1>")
    add_library(sluice_${name} STATIC ${arg_ROOMS} ${arg_SOURCES})
    add_library(sluice::${name} ALIAS sluice_${name})
    target_link_libraries(
        sluice_${name}
        PUBLIC ${arg_LINKS}
        PRIVATE $<BUILD_INTERFACE:sluice_options> ${arg_PRIVATE_LINKS}
    )
    target_compile_features(sluice_${name} PUBLIC cxx_std_20)
    target_include_directories(
        sluice_${name}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/sluice>
    )
    set_target_properties(sluice_${name} PROPERTIES EXPORT_NAME ${name})
    sluice_unity(sluice_${name})
endfunction()

# sluice_program(sluiced SOURCES … LINKS …): a binary in the build's bin folder.
function(sluice_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINKS} sluice_options)
endfunction()
